import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import type { Reply } from '../support/world.ts';

export function partnerImportContract(kind: string, open: OpenEngine): void {
  describe(`the import of partners on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
    });
    afterEach(() => world.affkit.close());

    const send = (file: string, query = ''): Promise<Reply> =>
      world.ask('POST', `/partners/import${query}`, file);
    const partners = async () => {
      const { body } = await world.ask('GET', '/partners?pageSize=100');
      const rows = body['data'] as { name: string; status: string; links: { short_link: string }[] }[];
      return rows.map(({ name, status, links }) => [name, status, links.map((link) => link.short_link)]);
    };
    const FILE = [
      '\ufeffemail,name,status,code',
      'cleo@blog.example,"Cléo, ""the"" =1+1",pending,cleo',
      '',
      'not an address,Dora,,',
      'ANNA@partner.example,anna,,',
      'eve@blog.example,Eve,banned,',
      'fay@blog.example,Fay,,Ben',
      'cleo@blog.example,Cleo again,,',
      'gus@blog.example,"Gus\r\nMeier",,',
      'hal@blog.example,Hal,,hal',
      'ivy@blog.example,Ivy,,HAL',
    ].join('\r\n');
    const REFUSED = [
      { line: 4, ok: false, code: 'invalid_field', error: 'email must be an email address' },
      { line: 6, ok: false, code: 'invalid_field', error: 'status must be approved or pending' },
      { line: 7, ok: false, code: 'short_link_taken', error: 'short_link is already in use' },
      { line: 8, ok: false, code: 'invalid_field', error: 'email is also on line 2' },
      {
        line: 10,
        ok: false,
        code: 'invalid_field',
        error: 'name must not contain control or bidirectional characters',
      },
      { line: 12, ok: false, code: 'invalid_field', error: 'code is also on line 11' },
    ];

    test('says in a dry run what the import would do, and stores nothing', async () => {
      const before = await partners();
      const audited = () => world.engine.read.selectFrom('audit_log').select('id').execute();
      const changes = await audited();
      const dry = await send(FILE, '?dry_run=1');
      expect(await partners()).toEqual(before);
      expect(await audited()).toEqual(changes);
      const meta = { created: 2, existing: 1, failed: 6 };
      expect(dry).toMatchObject({ status: 200, body: { meta: { ...meta, dry_run: true } } });
      const imported = await send(FILE);
      expect(imported).toMatchObject({ status: 200, body: { meta: { ...meta, dry_run: false } } });
      const rows = imported.body['data'] as Record<string, unknown>[];
      expect(dry.body['data']).toEqual(
        rows.map(({ partner_id, invite_token, invite_expires_at, ...row }) => row),
      );
      expect(rows.filter(({ ok }) => ok === false)).toEqual(REFUSED);
      expect(rows.filter(({ ok }) => ok === true)).toEqual([
        {
          line: 2,
          ok: true,
          is_new: true,
          partner_id: expect.any(Number),
          invite_token: expect.stringMatching(/^affi_/),
          invite_expires_at: expect.any(String),
        },
        { line: 5, ok: true, is_new: false, partner_id: world.anna.partnerId },
        expect.objectContaining({ line: 11, ok: true, is_new: true }),
      ]);
      expect((await partners()).slice(0, 2)).toEqual([
        ['Hal', 'approved', ['hal']],
        ['Cléo, "the" =1+1', 'pending', ['cleo']],
      ]);
    });

    test('creates each partner once, even if the same import runs many times concurrently', async () => {
      const rows = Array.from({ length: 40 }, (_, index) => `P${index},p${index}@blog.example`);
      const file = ['name,email', ...rows].join('\n');
      const replies = await Promise.all([send(file), send(file), send(file)]);
      const metas = replies.map(({ body }) => body['meta'] as { created: number; existing: number });
      expect(metas.reduce((sum, { created }) => sum + created, 0)).toBe(40);
      expect(metas.reduce((sum, { existing }) => sum + existing, 0)).toBe(80);
      expect(await partners()).toHaveLength(42);
      expect(await send(file)).toMatchObject({ body: { meta: { created: 0, existing: 40, failed: 0 } } });
    });

    test.each([
      ['semicolons, as Excel writes them', '\ufeffname;email;code\r\nHal, Jr.;hal@blog.example;hal\r\n'],
      ['tabs', 'name\temail\tcode\nHal, Jr.\thal@blog.example\thal\n'],
      ['capital letters and spaces in its header', 'Name, EMAIL ,Code\n"Hal, Jr.",hal@blog.example,hal\n'],
      ['quoted names', '"name";"email";"code"\n"Hal, Jr.";hal@blog.example;hal\n'],
    ])('reads a file with %s', async (_, file) => {
      expect(await send(file)).toMatchObject({ body: { meta: { created: 1, failed: 0 } } });
      expect((await partners())[0]).toEqual(['Hal, Jr.', 'approved', ['hal']]);
    });

    test('rejects a file that is not CSV, has wrong columns, or has too many rows or bytes', async () => {
      const head = 'name,email\n';
      const tooMany = head + 'A,a@blog.example\n'.repeat(501);
      const columns = 'The first line must contain only the columns name, email, code, status';
      const refusals: readonly (readonly [string, number, string])[] = [
        ['', 400, 'The file must have a header and at least one row'],
        [head, 400, 'The file must have a header and at least one row'],
        ['name email\nA a@blog.example', 400, columns],
        [`${head}M\ufffdller,m@blog.example`, 400, 'In Excel, save it as "CSV UTF-8"'],
        ['name,email,password\nA,a@blog.example,x', 400, columns],
        ['name,name,email\nA,B,a@blog.example', 400, columns],
        ['name,Name,email\nA,B,a@blog.example', 400, columns],
        ['name\nA', 400, columns],
        [tooMany, 400, 'The file must have at most 500 rows'],
        [`${head}A,a@blog.example,x`, 400, 'The body is not valid CSV: Invalid Record Length on line 2'],
        [`${head}"A,a@blog.example`, 400, 'The body is not valid CSV: Quote Not Closed on line 2'],
        [head + 'A'.repeat(256 * 1024), 413, 'Request body too large'],
      ];
      for (const [file, status, error] of refusals) {
        expect(await send(file)).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
      }
      expect(await send(`${head}A,a@blog.example`, '?dry_run=yes')).toMatchObject({ status: 400 });
      expect(await partners()).toHaveLength(2);
    });
  });
}
