import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import { addProgram, makeWorld, START, signInOwner, type World } from '../support/world.ts';

const DAY = 86_400_000;

interface CommissionData {
  readonly id: number;
  readonly transaction_id: string;
}

export function commissionDecisionContract(kind: string, open: OpenEngine): void {
  describe(`commission decisions on ${kind}`, () => {
    let world: World;
    let session: { authorization: string };
    let base: string;
    beforeEach(async () => {
      world = await makeWorld(await open(), { hold_days: 30 });
      session = await signInOwner(world);
      base = `/api/advertiser/affiliate-programs/${world.program.id}/commissions`;
    });
    afterEach(() => auditAndClose(world, [world.program.id]));

    const get = (query = '') => world.call('GET', `${base}${query}`, undefined, session);
    const decide = (id: number, verb: 'approve' | 'reject') =>
      world.call('POST', `${base}/${id}/${verb}`, undefined, session);
    const sell = async (id: string, code = 'anna', amountCents = 1000): Promise<number> => {
      const sale = { transaction_id: id, amount_cents: amountCents, click_id: await world.click(code) };
      const reply = await world.track('sale', sale);
      if (typeof reply.body['commission_id'] !== 'number') throw new Error(JSON.stringify(reply.body));
      return reply.body['commission_id'];
    };
    const ids = async (query: string) => {
      const data = (await get(query)).body['data'] as CommissionData[];
      return data.map((row) => row.transaction_id);
    };
    const entriesOf = async (id: number) => {
      const rows = await world.engine.read
        .selectFrom('ledger_entries')
        .select(['scope', 'kind', 'amount_cents'])
        .where('commission_id', '=', id)
        .orderBy('id')
        .execute();
      return rows.map((row) => `${row.scope} ${row.kind} ${row.amount_cents}`);
    };

    test('the list shows commissions with their sales, newest first, with filters and pages', async () => {
      const first = await sell('t1');
      world.clock.now += DAY;
      await sell('t2', 'ben');
      await sell('t3');
      world.clock.now = START;
      await decide(first, 'approve');
      expect((await get('?pageSize=1&page=3')).body).toEqual({
        success: true,
        data: [
          {
            id: first,
            sale_id: expect.any(Number),
            transaction_id: 't1',
            sale_amount_cents: 1000,
            sale_currency: 'USD',
            partner_id: world.anna.partnerId,
            partner_name: 'anna',
            status: 'approved',
            amount_cents: 200,
            deducted_cents: 0,
            adjusted_cents: 0,
            currency: 'USD',
            subscription_id: null,
            refund_reason: null,
            commission_date: new Date(START).toISOString(),
            releasable_at: new Date(START + 30 * DAY).toISOString(),
            needs_approval: false,
            disputed: false,
            approved_at: new Date(START).toISOString(),
            rejected_at: null,
            payout_id: null,
            paid_at: null,
            created_at: new Date(START).toISOString(),
          },
        ],
        meta: { pagination: { page: 3, pageSize: 1, pageCount: 3, total: 3 } },
      });
      const day = new Date(START + DAY).toISOString().slice(0, 10);
      expect(await ids('')).toEqual(['t3', 't2', 't1']);
      expect(await ids('?status=pending')).toEqual(['t3', 't2']);
      expect(await ids('?status=paid')).toEqual([]);
      expect(await ids(`?partner_id=${world.anna.partnerId}`)).toEqual(['t3', 't1']);
      expect(await ids(`?dateFrom=${day}&dateTo=${day}`)).toEqual(['t3', 't2']);
      expect(await ids(`?dateTo=${new Date(START).toISOString()}&status=approved`)).toEqual(['t1']);
    });

    test.each(['?status=open', '?partner_id=x', '?dateFrom=2026-02-30', '?page=0'])(
      'return 400 for the query %s',
      async (query) => {
        expect(await get(query)).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
      },
    );

    test('an approved commission is payable, even if 20 approvals arrive concurrently', async () => {
      const id = await sell('t1');
      expect(countStatuses(await runConcurrently(20, () => decide(id, 'approve')))).toEqual({ 200: 20 });
      expect(await decide(id, 'approve')).toMatchObject({
        status: 200,
        body: { success: true, data: { id, status: 'approved' } },
      });
      const partners = await world.call('GET', base.replace('commissions', 'partners'), undefined, session);
      const rows = partners.body['data'] as { id: number; payable_cents: number }[];
      expect(rows.find((row) => row.id === world.anna.partnerId)?.payable_cents).toBe(200);
    });

    test('a rejected commission is deducted once, even if 20 rejections arrive concurrently', async () => {
      const id = await sell('t1');
      await sell('t2');
      expect(countStatuses(await runConcurrently(20, () => decide(id, 'reject')))).toEqual({ 200: 20 });
      expect(await decide(id, 'reject')).toMatchObject({
        status: 200,
        body: { data: { status: 'rejected', deducted_cents: 200, rejected_at: expect.any(String) } },
      });
      expect(await world.balances()).toEqual({ program: { USD: 200 }, partner: { USD: 200 } });
      expect(await entriesOf(id)).toEqual([
        'partner_program commission 200',
        'partner commission 200',
        'partner_program deduction 200',
        'partner deduction 200',
      ]);
      expect(await world.track('refund', { transaction_id: 't1' })).toMatchObject({
        status: 200,
        body: { status: 'skipped', reason: 'commission was rejected', commission_id: id },
      });
      const log = await world.engine.read
        .selectFrom('audit_log')
        .select(['action', 'subject_id', 'state_before', 'state_after'])
        .where('subject_kind', '=', 'commission')
        .execute();
      expect(log).toEqual([
        {
          action: 'commission.reject',
          subject_id: id,
          state_before: '{"status":"pending","deducted_cents":0,"currency":"USD"}',
          state_after: '{"status":"rejected","deducted_cents":200,"currency":"USD"}',
        },
      ]);
    });

    test('an approved commission can be rejected, but a terminal status cannot change', async () => {
      const approved = await sell('t1');
      await decide(approved, 'approve');
      expect(await decide(approved, 'reject')).toMatchObject({ status: 200 });
      expect(await decide(approved, 'approve')).toMatchObject({
        status: 409,
        body: {
          code: 'commission_state',
          error: 'Commission cannot be approved. Current status: rejected',
        },
      });
      const refunded = await sell('t2');
      await world.track('refund', { transaction_id: 't2', refund_amount_cents: 500 });
      for (const verb of ['approve', 'reject'] as const) {
        expect(await decide(refunded, verb)).toMatchObject({
          status: 409,
          body: { error: expect.stringContaining('Current status: refunded') },
        });
      }
      expect(await world.balances()).toMatchObject({ program: { USD: 100 } });
    });

    test('rejecting a commission that is paid or part of a payout returns 409', async () => {
      const id = await sell('t1');
      const set = (change: { payout_id?: number; status?: 'approved' | 'paid'; paid_at?: number }) =>
        world.engine.write(world.workspaceId, (tx) =>
          tx.db.updateTable('commissions').set(change).where('id', '=', id).execute(),
        );
      await set({ payout_id: 1, status: 'approved' });
      expect(await decide(id, 'reject')).toMatchObject({
        status: 409,
        body: { error: 'Commission is part of a payout and cannot be rejected' },
      });
      await set({ status: 'paid', paid_at: START });
      expect(await decide(id, 'reject')).toMatchObject({
        status: 409,
        body: { error: 'Commission cannot be rejected. Current status: paid' },
      });
      expect(await entriesOf(id)).toHaveLength(2);
    });

    test('concurrent rejections and refunds deduct the commission once', async () => {
      const id = await sell('t1');
      await runConcurrently(20, (index) =>
        index % 2 === 0 ? decide(id, 'reject') : world.track('refund', { transaction_id: 't1' }),
      );
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
      expect(await entriesOf(id)).toHaveLength(4);
    });

    test('return 404 for a commission of another program or an unknown id', async () => {
      const ownCommission = await sell('t1');
      const otherProgram = await addProgram(world, world.workspaceId, 'cora');
      const otherBase = base.replace(String(world.program.id), String(otherProgram.program.id));
      for (const path of [`${otherBase}/${ownCommission}`, `${base}/999`, `${base}/x`, `${base}/0`]) {
        const reply = await world.call('POST', `${path}/approve`, undefined, session);
        expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
    });
  });
}
