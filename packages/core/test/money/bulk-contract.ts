import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { insertRows } from '../../src/storage/database/rows.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { addProgram, type Reply } from '../support/world.ts';

const P = '/api/advertiser/affiliate-programs';

export function bulkContract(kind: string, open: OpenEngine): void {
  describe(`bulk requests on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open, { hold_days: 30 });
    });
    afterEach(() => world.affkit.close());

    const bulk = (kinds: string, body: object) => world.ask('POST', `/${kinds}/bulk`, body);
    const statusOf = async (id: number) => (await world.commission(id))['status'];
    const changesOf = async (action: string) => {
      const rows = await world.engine.read
        .selectFrom('audit_log')
        .select(['subject_id', 'request_id'])
        .where('action', '=', action)
        .orderBy('id')
        .execute();
      return rows.map(({ subject_id }) => subject_id);
    };
    const enrollmentOf = async (partnerId: number) => {
      const { body } = await world.ask('GET', '/partners?pageSize=100');
      return (body['data'] as { id: number; status: string }[]).find(({ id }) => id === partnerId)?.status;
    };

    test('decides each commission independently, and returns the results in the order of the request', async () => {
      const [first, rejected, last] = [
        await world.sell('t1', 1000),
        await world.sell('t2', 1000),
        await world.sell('t3', 1000, { code: 'ben' }),
      ];
      await world.ask('POST', `/commissions/${rejected}/reject`);
      const foreign = await sellElsewhere();
      const reply = await bulk('commissions', {
        ids: [last, rejected, foreign, first, 999_999],
        action: 'approve',
      });
      expect(reply).toMatchObject({
        status: 200,
        body: {
          success: true,
          data: [
            { id: last, ok: true, status: 'approved' },
            {
              id: rejected,
              ok: false,
              code: 'commission_state',
              error: 'Commission cannot be approved. Current status: rejected',
            },
            { id: foreign, ok: false, code: 'not_found', error: 'Not found' },
            { id: first, ok: true, status: 'approved' },
            { id: 999_999, ok: false, code: 'not_found', error: 'Not found' },
          ],
          meta: { succeeded: 2, failed: 3 },
        },
      });
      expect(await Promise.all([first, rejected, last].map(statusOf))).toEqual([
        'approved',
        'rejected',
        'approved',
      ]);
      expect(await changesOf('commission.approve')).toEqual([last, first]);
      expect(await world.owed()).toEqual({ USD: [200, 200] });
    });

    /** Records a sale in another program of the workspace. @returns the commission id */
    async function sellElsewhere(): Promise<number> {
      const { authorization } = await addProgram(world, world.workspaceId, 'cora');
      const click_id = await world.click('cora');
      const sale = { transaction_id: 'elsewhere', amount_cents: 1000, click_id };
      const { body } = await world.call('POST', '/api/v1/track/sale', sale, { authorization });
      return Number(body['commission_id']);
    }

    test('returns the first results for a repeated key, even for concurrent requests and after later changes', async () => {
      const ids: number[] = [];
      for (let index = 0; index < 20; index++) ids.push(await world.sell(`t${index}`, 1000));
      await world.ask('POST', `/commissions/${ids[3]}/reject`);
      const approve = { ids, action: 'approve', idempotency_key: 'k1' };
      const replies = await Promise.all(Array.from({ length: 8 }, () => bulk('commissions', approve)));
      const [first] = replies;
      expect(first).toMatchObject({ status: 200, body: { meta: { succeeded: 19, failed: 1 } } });
      expect(replies.map(({ body }) => body)).toEqual(Array(8).fill(first?.body));
      expect(await changesOf('commission.approve')).toEqual(ids.filter((id) => id !== ids[3]));

      const ban = { ids: [world.anna.partnerId], action: 'ban', idempotency_key: 'k2' };
      const banned = await bulk('partners', ban);
      expect(banned.body).toMatchObject({ data: [{ ok: true, status: 'banned' }] });
      await bulk('partners', { ...ban, action: 'approve', idempotency_key: 'k3' });
      expect(await bulk('partners', ban)).toMatchObject({ status: 200, body: banned.body });
      expect(await enrollmentOf(world.anna.partnerId)).toBe('approved');

      for (const [kinds, body] of [
        ['commissions', { ...approve, action: 'reject' }],
        ['commissions', { ...approve, ids: ids.slice(1) }],
        ['partners', { ...ban, idempotency_key: 'k1' }],
      ] as const) {
        expect(await bulk(kinds, body)).toMatchObject({
          status: 409,
          body: {
            code: 'conflict',
            error: 'idempotency_key was already used for a different request. Send a new key.',
          },
        });
      }
    });

    test('completes a request whose first attempt stopped halfway', async () => {
      const ids = [await world.sell('t1', 1000), await world.sell('t2', 1000)];
      const body = { ids, action: 'approve', idempotency_key: 'k' };
      const first = await bulk('commissions', body);
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db
          .deleteFrom('bulk_results')
          .where('subject_id', '=', ids[1] ?? 0)
          .execute(),
      );
      expect((await bulk('commissions', body)).body).toEqual(first.body);
      world.clock.now += 31 * DAY;
      await world.affkit.jobs.runOnce();
      const rows = ['bulk_requests', 'bulk_results'] as const;
      for (const table of rows) {
        expect(await world.engine.read.selectFrom(table).select('key').execute()).toEqual([]);
      }
    });

    test('statuses and balances agree after concurrent approvals and rejections of the same commissions', async () => {
      const ids: number[] = [];
      for (let index = 0; index < 6; index++) ids.push(await world.sell(`t${index}`, 1000));
      const [approved, rejected] = await Promise.all([
        bulk('commissions', { ids, action: 'approve' }),
        bulk('commissions', { ids: ids.toReversed(), action: 'reject' }),
      ]);
      expect([approved?.status, rejected?.status]).toEqual([200, 200]);
      const statuses = await Promise.all(ids.map(statusOf));
      const results = approved?.body['data'] as { id: number; ok: boolean }[];
      // An approved commission can still be rejected, and a rejected commission cannot change again.
      expect(statuses).toEqual(Array(6).fill('rejected'));
      expect(results.map(({ id }) => id)).toEqual(ids);
      expect(rejected?.body).toMatchObject({ meta: { succeeded: 6, failed: 0 } });
      expect(await world.owed()).toEqual({ USD: [0, 0] });
    });

    test('previews the payouts of more partners than the number of parameters that SQLite allows', async () => {
      const { workspaceId, program, clock } = world;
      const COUNT = 34_000;
      const ids = Array.from({ length: COUNT }, (_, index) => index + 101);
      const created = { created_at: clock.now };
      const ofProgram = { program_id: program.id };
      await world.engine.write(workspaceId, async (tx) => {
        await insertRows(
          tx,
          'partners',
          ids.map((id) => ({ id, workspace_id: workspaceId, email: `${id}@a.test`, name: 'P', ...created })),
        );
        await insertRows(
          tx,
          'partner_programs',
          ids.map((partner_id) => ({ ...ofProgram, partner_id, status: 'approved', ...created })),
        );
        await insertRows(
          tx,
          'balances',
          ids.map((partner_id) => ({ ...ofProgram, partner_id, currency: 'USD', balance_cents: 100 })),
        );
      });
      const preview = (body: object) => world.ask('POST', '/payouts/preview', body);
      const totalsOf = (payouts: number) => ({
        status: 200,
        body: { meta: { totals: [{ currency: 'USD', payouts, amount_cents: payouts * 100 }] } },
      });
      expect(await preview({ partner_ids: ids.slice(0, 7_000) })).toMatchObject(totalsOf(7_000));
      const listed = await preview({ limit: COUNT - 1 });
      expect(listed).toMatchObject(totalsOf(COUNT));
      expect(listed.body['data']).toHaveLength(COUNT - 1);
      expect((listed.body['data'] as object[])[0]).toMatchObject({ partner_email: '101@a.test' });
    });

    test('previews exactly the payouts that are then created, and marks them as paid', async () => {
      await world.ask('POST', `/commissions/${await world.sell('t1', 10_000)}/approve`);
      await world.ask('POST', `/commissions/${await world.sell('t2', 5000, { currency: 'JPY' })}/approve`);
      await world.ask('POST', `/commissions/${await world.sell('t3', 500, { code: 'ben' })}/approve`);
      await world.sell('held', 9999);
      const { anna, ben } = world;
      const preview = (body: object) => world.ask('POST', '/payouts/preview', body);
      const row = (partnerId: number, name: string, currency: string, amount_cents: number) => {
        const partner_email = `${name}@partner.example`;
        return { partner_id: partnerId, partner_name: name, partner_email, currency, amount_cents };
      };
      expect(await preview({})).toMatchObject({
        status: 200,
        body: {
          data: [
            row(anna.partnerId, 'anna', 'JPY', 1000),
            row(anna.partnerId, 'anna', 'USD', 2000),
            row(ben.partnerId, 'ben', 'USD', 100),
          ],
          meta: {
            totals: [
              { currency: 'JPY', payouts: 1, amount_cents: 1000 },
              { currency: 'USD', payouts: 2, amount_cents: 2100 },
            ],
          },
        },
      });
      expect(await preview({ partner_ids: [ben.partnerId], min_amount_cents: 101 })).toMatchObject({
        status: 200,
        body: { data: [], meta: { totals: [] } },
      });
      expect(await preview({ partner_ids: [99] })).toMatchObject({ status: 400 });
      const { body: all } = await preview({});
      const { body: first } = await preview({ limit: 1 });
      expect(first).toEqual({ ...all, data: [row(anna.partnerId, 'anna', 'JPY', 1000)] });
      expect((await preview({ limit: 0 })).body).toEqual({ ...all, data: [] });
      expect((await preview({ excluded_partner_ids: [anna.partnerId] })).body).toMatchObject({
        data: [row(ben.partnerId, 'ben', 'USD', 100)],
        meta: { totals: [{ currency: 'USD', payouts: 1, amount_cents: 100 }] },
      });
      expect(await preview({ excluded_partner_ids: [99] })).toMatchObject({
        status: 400,
        body: { error: 'excluded_partner_ids must contain only partners of the program, got 99' },
      });
      expect(
        await preview({ excluded_partner_ids: Array.from({ length: 1001 }, (_, id) => id + 1) }),
      ).toMatchObject({
        status: 400,
        body: { error: 'excluded_partner_ids must have at most 1000 entries' },
      });
      expect(await world.engine.read.selectFrom('payouts').select('id').execute()).toEqual([]);

      await bulk('partners', { ids: [ben.partnerId], action: 'ban' });
      const excluding = { excluded_partner_ids: [anna.partnerId] };
      expect(await world.payOut(excluding)).toEqual([]);
      const order = { min_amount_cents: 500 };
      const previewed = (await preview(order)).body['data'] as Record<string, unknown>[];
      const payouts = await world.payOut(order);
      expect(payouts.map((one) => [one.partner_id, one.currency, one.amount_cents])).toEqual(
        previewed.map((one) => [one['partner_id'], one['currency'], one['amount_cents']]),
      );
      const [yen, dollars] = payouts.map(({ id }) => id);
      await world.end(dollars ?? 0, 'cancel');
      const payment = { items: [{ id: dollars }, { id: yen, reference: 'SEPA 1' }], idempotency_key: 'pay' };
      const pay = () => world.ask('POST', '/payouts/mark-paid', payment);
      const replies = await Promise.all([pay(), pay(), pay()]);
      const expected = {
        success: true,
        data: [
          {
            id: dollars,
            ok: false,
            code: 'payout_state',
            error: 'Payout cannot be paid. Current status: cancelled',
          },
          { id: yen, ok: true, status: 'paid' },
        ],
        meta: { succeeded: 1, failed: 1 },
      };
      expect(replies.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([200, expected]));
      expect(await changesOf('payout.mark_paid')).toEqual([yen]);
      const { body } = await world.ask('GET', '/payouts?status=paid');
      expect(body['data']).toMatchObject([{ id: yen, reference: 'SEPA 1' }]);
    });

    test('rejects empty lists, lists that are too long or contain an id twice, and unknown actions', async () => {
      const tooMany = Array.from({ length: 101 }, (_, index) => index + 1);
      const refusals: readonly (readonly [string, object, string])[] = [
        ['commissions/bulk', { action: 'approve' }, 'ids must be a list of ids'],
        ['commissions/bulk', { ids: [], action: 'approve' }, 'ids must name at least one row'],
        ['commissions/bulk', { ids: tooMany, action: 'approve' }, 'ids must have at most 100 entries'],
        ['partners/bulk', { ids: [1, 1], action: 'approve' }, 'ids must not contain an id twice'],
        ['partners/bulk', { ids: [1], action: 'delete' }, 'action must be approve, reject or ban'],
        ['commissions/bulk', { ids: [1], action: 'pay' }, 'action must be approve or reject'],
        ['payouts/mark-paid', { items: [{ id: 1 }, { id: 1 }] }, 'items must not contain an id twice'],
        ['payouts/mark-paid', { items: [{ id: 1, ref: 'x' }] }, 'Unknown field "items.0.ref"'],
      ];
      for (const [path, body, error] of refusals) {
        const reply: Reply = await world.call('POST', `${P}/${world.program.id}/${path}`, body, {
          ...world.credential,
        });
        expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
      }
    });
  });
}
