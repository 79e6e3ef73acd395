import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, runConcurrently, type SignedUp, type World } from '../support/management-world.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const PAT = { name: 'Pat', email: 'pat@blog.example', code: 'pat' };

/** Emails to a partner about refunds, sent by real refunds. */
export function commissionEmailContract(open: OpenEngine): void {
  let world: World;
  let mailer: TestMailer;
  let owner: SignedUp & { readonly workspaceId: number };
  let program: { readonly id: number; readonly api_token: string };

  beforeAll(async () => {
    mailer = createTestMailer();
    world = await openWorld(open, { mailer, publicUrl: 'https://affkit.test/' });
    owner = await world.owner();
    program = await create(PROGRAMS, {
      name: 'Tea & Co',
      site_url: 'https://tea.example',
      commission: { type: 'percent', rate: 20 },
    });
    await create(`${PROGRAMS}/${program.id}/partners`, PAT);
    await deliver();
  });
  afterAll(() => world.close());

  const create = async <T>(path: string, body: object, { token }: { readonly token: string } = owner) =>
    (await world.call<{ data: T }>('POST', path, { token, body })).body.data;
  const track = async <T>(route: string, body: object) =>
    (await world.call<T>('POST', `/api/v1/track/${route}`, { token: program.api_token, body })).body;
  const deliver = async () => {
    await world.affkit.jobs.runOnce();
    return mailer.accepted.splice(0).filter(({ to }) => to.address === PAT.email);
  };
  /** @returns the id of the commission */
  const sell = async (transaction_id: string): Promise<number> => {
    const { body } = await world.call<{ click_id: string }>('POST', '/api/v1/track/click', {
      body: { affiliate_url: 'https://tea.example/?aff=pat' },
    });
    const sale = {
      transaction_id,
      click_id: body.click_id,
      customer_key: transaction_id,
      amount_cents: 5000,
    };
    return (await track<{ commission_id: number }>('sale', sale)).commission_id;
  };

  it('name the commission, the amount, and its page, once per refund', async () => {
    const id = await sell('tea-1');
    const part = { transaction_id: 'tea-1', refund_id: 'r-1', refund_amount_cents: 1500 };
    await runConcurrently(4, () =>
      world.call('POST', '/api/v1/track/refund', { token: program.api_token, body: part }),
    );
    const [reduced, ...more] = await deliver();
    expect(more).toEqual([]);
    expect(reduced).toMatchObject({
      subject: 'A commission was reduced: Tea & Co',
      from: { name: 'Tea & Co' },
    });
    const url = `https://affkit.test/app/partner/${program.id}/earnings/${id}`;
    for (const text of [`Commission: #${id}`, 'Deducted: 3.00 USD', url]) {
      expect(reduced?.text).toContain(text);
    }
    expect(reduced?.html).toContain(`href="${url}"`);
    expect(reduced?.headers).toMatchObject({ 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' });

    const other = await sell('tea-2');
    await track('refund', { transaction_id: 'tea-2' });
    const [reversed] = await deliver();
    expect(reversed?.subject).toBe('A commission was reversed: Tea & Co');
    for (const text of [`Commission: #${other}`, 'Deducted: 10.00 USD'])
      expect(reversed?.text).toContain(text);
  });

  it('are not sent after the partner has turned them off by the link', async () => {
    await sell('tea-3');
    await track('refund', { transaction_id: 'tea-3' });
    const [message] = await deliver();
    const path = /\/api\/v1\/email\/unsubscribe\?token=[^>\s"]+/.exec(
      message?.headers['List-Unsubscribe'] ?? '',
    );
    expect((await world.call('POST', path?.[0] ?? '')).status).toBe(200);
    await sell('tea-4');
    await track('refund', { transaction_id: 'tea-4' });
    expect(await deliver()).toEqual([]);
  });
}
