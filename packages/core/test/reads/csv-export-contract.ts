import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CommissionView } from '../../src/storage/money/commission-view.ts';
import { listCommissions, listCommissionsAfter } from '../../src/storage/reads/commission-list.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { TraceClient } from '../support/trace-client.ts';
import { signInOwner } from '../support/world.ts';

type Row = Readonly<Record<string, unknown>>;
const FORMULA = '=HYPERLINK("https://evil.example","pay")';

export function csvExportContract(kind: string, open: OpenEngine): void {
  describe(`CSV files on ${kind}`, () => {
    let world: PayoutWorld;
    let session: { readonly authorization: string };
    beforeEach(async () => {
      world = await openPayoutWorld(open);
      session = await signInOwner(world);
      await world.ask('PUT', `/partners/${world.ben.partnerId}`, { name: FORMULA });
      await world.sell('t1', 1999);
      await world.sell('t2', 5000, { currency: 'JPY', code: 'ben' });
      await world.refund('t1', 999);
      await world.payOut();
      await world.sell('t3', 700, { product_id: 'p' });
      await world.click('ben', { page_url: 'https://shop.example/?a=1,2', sub_id: '+1-SUM(A1)' });
    });
    afterEach(() => world.affkit.close());

    const file = async (path: string, credential = session): Promise<Row[]> => {
      const { status, headers, body } = await world.call('GET', path, undefined, credential);
      expect({ path, status, type: headers['content-type'] }).toEqual({
        path,
        status: 200,
        type: 'text/csv; charset=utf-8',
      });
      expect(headers['content-disposition']).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
      return parse(String(body), { columns: true, record_delimiter: '\r\n' });
    };
    const list = async (path: string, credential = session): Promise<Row[]> => {
      const separator = path.includes('?') ? '&' : '?';
      const { body } = await world.call('GET', `${path}${separator}pageSize=100`, undefined, credential);
      return body['data'] as Row[];
    };

    test('each CSV file has the rows of its list, in the same order and with the same filters', async () => {
      const { anna, ben } = world;
      const P = world.path;
      const portal = await (await TraceClient.of(world)).signInAs(anna.partnerId);
      const queries: readonly (readonly [
        list: string,
        queries: readonly string[],
        rows: readonly number[],
      ])[] = [
        [`${P}/partners`, ['', '?q=AN&sort=clicks', '?status=approved&sort=name&order=asc'], [2, 1, 2]],
        [`${P}/links`, ['', '?q=ben&status=active', '?sort=short_link&order=asc'], [2, 1, 2]],
        [
          `${P}/commissions`,
          [
            '',
            '?status=refunded',
            '?q=T&sort=amount_cents&order=asc',
            '?q=t2&sort=amount_cents',
            `?partner_id=${ben.partnerId}&dateFrom=2026-06-15`,
            '?dateTo=2026-06-14',
          ],
          [3, 1, 3, 1, 1, 0],
        ],
        [`${P}/payouts`, [`?partner_id=${ben.partnerId}`, '?status=paid'], [1, 0]],
        [
          `/api/tracking/events/${world.program.id}`,
          [
            '',
            '?eventType=conversion',
            '?sub_id=%2B1-SUM(A1)',
            '?q=T2',
            `?eventType=conversion&partner_id=${ben.partnerId}`,
            '?eventType=click&link_id=999999',
            '?after=2026-06-14',
            '?after=2999-01-01',
          ],
          [7, 3, 1, 2, 1, 0, 7, 0],
        ],
        [
          '/api/advertiser/audit-log',
          [
            '',
            '?action=partner.update',
            `?subject=partner:${anna.partnerId}`,
            `?actor=owner@shop.example&dateTo=2999-01-01`,
            '?dateFrom=2999-01-01',
          ],
          [],
        ],
        ['/api/partner/commissions', ['', '?status=refunded'], [2, 1]],
        ['/api/partner/payouts', [''], [1]],
      ];
      for (const [path, suffixes, counts] of queries) {
        const credential = path.startsWith('/api/partner/') ? portal : session;
        const csv = path.startsWith('/api/tracking/') ? `${P}/events.csv` : `${path}.csv`;
        const found: number[] = [];
        for (const query of suffixes) {
          const rows = await file(csv + query, credential);
          const listed = await list(path + query, credential);
          expect({ path, query, rows: rows.map((row) => pickCells(row, row)) }).toEqual({
            path,
            query,
            rows: listed.map((row, index) => pickCells(row, rows[index] ?? {})),
          });
          found.push(rows.length);
        }
        if (counts.length > 0) expect({ path, found }).toEqual({ path, found: counts });
      }
    });

    test('a CSV file of commissions shows the currency of each sale, even if its commission has another', async () => {
      const policy = { type: 'flat', amount_cents: 500, product_id: 'flat' };
      await world.ask('POST', '/commission-policies', policy);
      await world.sell('t4', 8000, { currency: 'JPY', product_id: 'flat' });
      const path = `${world.path}/commissions`;
      const amounts = { sale_amount_cents: 8000, sale_currency: 'JPY', amount_cents: 500, currency: 'USD' };
      expect((await list(`${path}?q=t4`))[0]).toMatchObject(amounts);
      const [row = {}] = await file(`${path}.csv?q=t4`);
      expect(row).toMatchObject({ sale_amount_cents: '8000', sale_currency: 'JPY', currency: 'USD' });
      // New columns are appended, because a spreadsheet may refer to a column by its position.
      expect(Object.keys(row).slice(-3)).toEqual(['subscription_id', 'created_at', 'sale_currency']);
    });

    test('a CSV file has each amount in major units too, and joins the values of nested fields', async () => {
      const [yen, ...others] = await file(`${world.path}/commissions.csv?partner_id=${world.ben.partnerId}`);
      expect([yen, others]).toMatchObject([{ amount_cents: '1000', amount: '1000', currency: 'JPY' }, []]);
      const [ben, anna] = await file(`${world.path}/partners.csv`);
      expect(ben).toMatchObject({ name: `'${FORMULA}`, balances: '1000 JPY', payable: '0 JPY' });
      expect(anna).toMatchObject({ balances: '3.40 USD', payable: '1.40 USD', short_links: 'anna' });
      const [click] = await file(`${world.path}/events.csv?eventType=click`);
      expect(click).toMatchObject({ sub_id: "'+1-SUM(A1)", page_url: 'https://shop.example/?a=1,2' });
      const changes = await file('/api/advertiser/audit-log.csv');
      expect(changes.find(({ action }) => action === 'partner.update')).toMatchObject({
        subject_kind: 'partner',
        subject_id: String(world.ben.partnerId),
        before: '{"name":"ben"}',
        actor_kind: 'key',
      });
    });

    test.each(['commission_date', 'amount_cents'] as const)(
      'read commissions sorted by %s in pages that begin after the last row of the previous page',
      async (sort) => {
        await world.sell('t4', 700);
        const { engine, program } = world;
        const filter = {
          status: null,
          isInReview: false,
          partnerId: null,
          payoutId: null,
          q: undefined,
          range: { from: null, to: null },
        };
        for (const order of ['asc', 'desc'] as const) {
          const by = { sort, order };
          const pages: CommissionView[] = [];
          for (let size = 1; size > 0; ) {
            const last = pages.at(-1) ?? null;
            const page = await listCommissionsAfter(engine, program.id, filter, by, last, 1);
            pages.push(...page);
            size = page.length;
          }
          const { commissions } = await listCommissions(engine, program.id, filter, by, {
            offset: 0,
            limit: 9,
          });
          expect(pages).toHaveLength(4);
          expect(pages).toEqual(commissions);
        }
      },
    );

    test('reject page parameters and unknown filters', async () => {
      for (const path of ['partners', 'links', 'commissions', 'payouts', 'events']) {
        for (const query of ['page=1', 'pageSize=5', 'colour=red']) {
          const reply = await world.call('GET', `${world.path}/${path}.csv?${query}`, undefined, session);
          expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
        }
      }
    });

    describe('if clients do not read them', () => {
      const start = async (path = `${world.path}/partners.csv`, { authorization } = session) => {
        const reply = await world.affkit.handle({
          method: 'GET',
          path,
          query: new URLSearchParams(),
          header: (name) => (name === 'authorization' ? authorization : undefined),
          body: () => Promise.resolve(new Uint8Array()),
          ip: null,
          secure: true,
        });
        return { status: reply?.status, body: reply?.body as ReadableStream };
      };

      test('a workspace gets two exports at a time; a new export ends one that was idle for five seconds', async () => {
        const [first, second] = [await start(), await start()];
        expect([first.status, second.status]).toEqual([200, 200]);
        expect(await start()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
        world.clock.now += 4_999;
        expect((await start(`${world.path}/links.csv`)).status).toBe(503);
        world.clock.now += 1;
        const third = await start();
        expect(third.status).toBe(200);
        await expect(new Response(first.body).text()).rejects.toThrow('another export needs its slot');
        for (const { body } of [second, third]) {
          expect((await new Response(body).text()).split('\r\n')).toHaveLength(1 + 2 + 1);
        }
        expect(await file(`${world.path}/partners.csv`)).toHaveLength(2);
      });

      test('an export ends after 30 seconds without a read, or after waiting ten minutes in total', async () => {
        for (let sent = 0; sent < 80; sent++) {
          await world.click('anna', { page_url: `https://shop.example/?${sent}=${'x'.repeat(1_900)}` });
        }
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        onTestFinished(() => void vi.useRealTimers());
        const [idle, slow] = [
          await start(`${world.path}/events.csv`),
          await start(`${world.path}/events.csv`),
        ];
        world.clock.now += 10 * 60_000;
        const reader = slow.body.getReader();
        expect(await reader.read()).toMatchObject({ done: false });
        const pass = async (ms: number) => {
          // An export needs some event-loop turns until it waits again or ends.
          for (let turn = 0; turn < 5; turn++) await setImmediate();
          vi.advanceTimersByTime(ms);
          for (let turn = 0; turn < 5; turn++) await setImmediate();
        };
        await pass(1);
        await expect(reader.read()).rejects.toThrow('The client has stopped reading the export');
        await pass(30_000);
        await expect(new Response(idle.body).text()).rejects.toThrow(
          'The client has stopped reading the export',
        );
      });

      test('idle exports do not block other accounts for longer than five seconds', async () => {
        const client = await TraceClient.of(world);
        const [anna, ben] = [
          await client.signInAs(world.anna.partnerId),
          await client.signInAs(world.ben.partnerId),
        ];
        const payouts = '/api/partner/payouts.csv';
        const held = [await start(), await start(), await start(payouts, anna), await start(payouts, anna)];
        expect(held.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect((await start(payouts, ben)).status).toBe(503);
        world.clock.now += 5_000;
        expect(await file(payouts, ben)).toHaveLength(1);
        for (const { body } of held.slice(1)) await body.cancel();
      });
    });
  });
}

/** Returns the values of the columns that the file shares with the list, as text. */
function pickCells(row: Row, columns: Row): Record<string, string> {
  const cells = Object.keys(columns).flatMap((name) => {
    const value = row[name];
    const isNested = typeof value === 'object' && value !== null && !['before', 'after'].includes(name);
    if (!(name in row) || isNested || ADDED.includes(name)) return [];
    return [[name, toText(value)] as const];
  });
  return Object.fromEntries(cells.filter(([, text]) => text !== ''));
}

/** Columns of the file that are not fields of the list, or whose content differs. */
const ADDED = [
  'amount',
  'balances',
  'payable',
  'short_links',
  'actor_kind',
  'actor_id',
  'actor_email',
].concat(['subject_kind', 'subject_id']);

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/^[=+]/, "'$&");
}
