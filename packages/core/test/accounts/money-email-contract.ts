import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatMoney } from '../../src/domain/money.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, runConcurrently, type SignedUp, type World } from '../support/management-world.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const PAT = { name: 'Pat', email: 'pat@blog.example', code: 'pat' };

interface Run {
  readonly id: number;
  readonly status: string;
  readonly totals: readonly { readonly amount_cents: number }[];
}

/** Tests the emails about refunds and scheduled payouts. API calls and jobs cause the emails, as in production. */
export function moneyEmailContract(open: OpenEngine): void {
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
  const deliverTo = async (address: string) => {
    await world.affkit.jobs.runOnce();
    return mailer.accepted.splice(0).filter(({ to }) => to.address === address);
  };
  const deliver = () => deliverTo(PAT.email);
  const listRuns = ({ token }: { readonly token: string }) =>
    world.call<{ data: readonly Run[] }>('GET', `${PROGRAMS}/${program.id}/payout-runs`, { token });
  /** Signs up another owner, because the session of the first one ends after 12 hours. */
  const signUpAnotherOwner = () => world.signUp([{ workspaceId: owner.workspaceId, role: 'owner' }]);
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

  it('one email is sent per refund, with the commission, the amount, and a link', async () => {
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

  it('no email is sent about a refund that is too small to reduce the commission', async () => {
    await sell('tea-6');
    const body = { transaction_id: 'tea-6', refund_id: 'r-6', refund_amount_cents: 1 };
    expect(await track('refund', body)).toMatchObject({ status: 'refunded', deductionAmount: 0 });
    expect(await deliver()).toEqual([]);
  });

  it('no email about a refund is sent after the partner has used the unsubscribe link', async () => {
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

  it('only owners get an email about what the scheduled payouts would pay', async () => {
    const { workspaceId } = owner;
    const admin = await world.signUp([{ workspaceId, role: 'admin' }]);
    const second = await world.signUp([{ workspaceId, role: 'owner' }]);
    const id = await sell('tea-5');
    await create(`${PROGRAMS}/${program.id}/commissions/${id}/approve`, {});
    // The clock starts on 15 January 2026, so the 16th is the next payout day.
    await world.call('PUT', `${PROGRAMS}/${program.id}/payout-settings`, {
      token: owner.token,
      body: { schedule_day: 16 },
    });
    expect(await deliverTo(owner.email)).toEqual([]);
    world.clock.now += 86_400_000;
    await Promise.all(Array.from({ length: 4 }, () => world.affkit.jobs.runOnce()));
    await world.affkit.jobs.runOnce();
    const sent = mailer.accepted.splice(0).filter(({ subject }) => subject.startsWith('Payouts'));
    expect(sent.map(({ to }) => to.address).toSorted()).toEqual([owner.email, second.email].toSorted());
    expect(sent.map(({ to }) => to.address)).not.toContain(admin.email);
    const [message] = sent;
    expect(message).toMatchObject({
      subject: 'Payouts to confirm for January 2026: Tea & Co',
      from: { name: 'Tea & Co' },
      headers: { 'List-Unsubscribe': expect.any(String) },
    });
    expect(message?.text).toContain(`https://affkit.test/app/p/${program.id}/payouts\n`);
    expect(message?.text).toContain('No payout is created until an owner confirms the payouts.');
    const later = await signUpAnotherOwner();
    const { body } = await listRuns(later);
    const [total] = body.data[0]?.totals ?? [];
    expect(total).toMatchObject({ currency: 'USD', payouts: 1 });
    expect(message?.text).toContain(`1 payout: ${formatMoney(total?.amount_cents ?? 0, 'USD')}\n`);
    const payouts = await world.call<{ data: object[] }>('GET', `${PROGRAMS}/${program.id}/payouts`, later);
    expect(payouts.body.data).toEqual([]);
  });

  it('no email is sent about scheduled payouts that an owner has already dismissed', async () => {
    world.clock.now += 31 * 86_400_000;
    const later = await signUpAnotherOwner();
    mailer.onSend = () => {
      throw new Error('The mail server is unavailable');
    };
    await world.affkit.jobs.runOnce();
    const { body } = await listRuns(later);
    const [run] = body.data;
    expect(run?.status).toBe('proposed');
    await create(`${PROGRAMS}/${program.id}/payout-runs/${run?.id}/dismiss`, {}, later);
    mailer.onSend = () => {};
    world.clock.now += 3_600_000;
    const sent = await deliverTo(owner.email);
    expect(sent.filter(({ subject }) => subject.startsWith('Payouts'))).toEqual([]);
  });

  it('an email about a payment is sent even if the program has been deleted since, without a link to its pages', async () => {
    const { token } = await signUpAnotherOwner();
    const { id: programId, api_token } = await create<typeof program>(
      PROGRAMS,
      { name: 'Coffee', site_url: 'https://coffee.example', commission: { type: 'percent', rate: 20 } },
      { token },
    );
    const path = `${PROGRAMS}/${programId}`;
    await create(`${path}/partners`, { ...PAT, code: 'pat-coffee' }, { token });
    const click = await world.call<{ click_id: string }>('POST', '/api/v1/track/click', {
      body: { affiliate_url: 'https://coffee.example/?aff=pat-coffee' },
    });
    const sale = { transaction_id: 'coffee-1', click_id: click.body.click_id, amount_cents: 5000 };
    await world.call('POST', '/api/v1/track/sale', { token: api_token, body: sale });
    const { data } = (
      await world.call<{ data: { id: number }[] }>('POST', `${path}/payouts`, { token, body: {} })
    ).body;
    await deliver();
    await create(`${path}/payouts/${data[0]?.id}/mark-paid`, { reference: 'TR-9' }, { token });
    expect((await world.call('DELETE', path, { token })).status).toBe(200);
    const [message] = await deliver();
    expect(message?.subject).toContain('Coffee');
    for (const text of ['10.00 USD', 'TR-9']) expect(message?.text).toContain(text);
    // The portal answers a link to a page of a deleted program with "not found".
    for (const text of [message?.text, message?.html]) expect(text).not.toContain(`/partner/${programId}`);
  });
}
