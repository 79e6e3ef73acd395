import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { deleteUnusedPaymentTies } from '../../src/jobs/payment-id-expiry.ts';
import { insertRows } from '../../src/storage/database/rows.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { event, invoice, invoicePayment } from '../support/stripe-events.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

export function paymentIdExpiryContract(kind: string, open: OpenEngine): void {
  describe(`stored pairs of payment ids on ${kind}`, () => {
    let world: WebhookWorld;

    beforeAll(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterAll(() => auditAndClose(world));

    const connectIds = (name: string) => world.outcome(event('invoice_payment.paid', invoicePayment(name)));
    const storedIds = async () => {
      const rows = await world.engine.read
        .selectFrom('processor_ties')
        .select('ref')
        .distinct()
        .orderBy('ref')
        .execute();
      return rows.map(({ ref }) => ref);
    };
    const pass = async (days: number) => {
      world.clock.now += days * DAY_MS;
      await world.affkit.jobs.runOnce();
    };

    test('expire after 400 days without use, and every use renews them', async () => {
      for (const name of ['sold', 'unused', 'looked', 'told']) expect(await connectIds(name)).toBe('tied');
      expect(await world.sell({ transaction_id: 'pi_sold' })).toMatchObject({ status: 200 });
      await pass(300);
      expect(await world.track('refund', { transaction_id: 'in_looked' })).toMatchObject({ status: 404 });
      expect(await connectIds('told')).toBe('tied');
      await pass(100);
      expect(await storedIds()).toContain('in_unused');
      await pass(2);
      expect(await storedIds()).toEqual(['in_looked', 'in_told', 'pi_looked', 'pi_told']);
      await pass(298);
      expect(await storedIds()).toHaveLength(4);
      await pass(2);
      expect(await storedIds()).toEqual([]);
      // The ids of a recorded sale are not deleted.
      const paid = event('invoice.paid', invoice('current', 'sold', 'sold', world.metadata));
      expect(await world.outcome(paid)).toBe('duplicate');
    });

    test('are deleted in batches, each of which contains pairs of only one workspace', async () => {
      const used_at = world.clock.now - 402 * DAY_MS;
      const rows = (workspace_id: number, count: number) =>
        Array.from({ length: count }, (_, index) => ({
          workspace_id,
          ref: `in_${index}`,
          other: `pi_${index}`,
          used_at,
        }));
      await world.engine.write(world.workspaceId, (tx) =>
        insertRows(tx, 'processor_ties', [...rows(world.workspaceId, 1_500), ...rows(987, 10)]),
      );
      const count = async () =>
        (await world.engine.read.selectFrom('processor_ties').select('ref').execute()).length;
      expect(await deleteUnusedPaymentTies(world.affkit.runtime)).toBe(true);
      expect([510, 1_500]).toContain(await count());
      await world.affkit.jobs.runOnce();
      expect(await count()).toBe(0);
      expect(await deleteUnusedPaymentTies(world.affkit.runtime)).toBe(false);
    });
  });
}
