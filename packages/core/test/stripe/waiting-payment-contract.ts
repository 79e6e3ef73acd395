import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { event, paymentIntent } from '../support/stripe-events.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { addProgram } from '../support/world.ts';
import { apiVersionsFor } from './api-versions.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const WAIT_MS = 600_000;

export function waitingPaymentContract(kind: string, open: OpenEngine): void {
  describe.each(apiVersionsFor(kind))(
    `a payment that waits for its details on ${kind}, API version %s`,
    (version) => {
      let world: WebhookWorld;
      beforeEach(async () => {
        world = await makeWebhookWorld(await open());
        const policy = { type: 'percent', rate: 50, product_id: 'prod_pro' };
        const path = `${PROGRAMS}/${world.program.id}/commission-policies`;
        expect(await world.call('POST', path, policy, world.session)).toMatchObject({ status: 201 });
      });
      afterEach(() => auditAndClose(world));

      /** Advances the clock by the time that a payment waits for its details, then runs the jobs. */
      const wait = async () => {
        world.clock.now += WAIT_MS;
        await world.affkit.jobs.runOnce();
      };
      const intent = (name: string, metadata: Record<string, string> = world.metadata) =>
        event('payment_intent.succeeded', paymentIntent(version, name, metadata));
      const remove = (programId = world.program.id) =>
        world.call('DELETE', `${PROGRAMS}/${programId}`, undefined, world.session);

      test('prevents the deletion of its program until it is recorded or ignored', async () => {
        expect(await world.outcome(intent('a'))).toBe('parked: details_pending');
        expect(await remove()).toMatchObject({ status: 409, body: { code: 'program_has_balance' } });
        await wait();
        expect(await world.commissions()).toMatchObject([{ id: 'pi_a', status: 'approved' }]);
        await world.track('refund', { transaction_id: 'pi_a' });
        const unknown = { ...world.metadata, service_customer_key: 'user-2' };
        expect(await world.outcome(intent('b', unknown))).toBe('parked: details_pending');
        expect(await remove()).toMatchObject({ status: 409, body: { code: 'program_has_balance' } });
        await wait();
        expect(await remove()).toMatchObject({ status: 200 });
        expect(await world.outcome(intent('c'))).toBe('ignored: program_not_found');
      });

      test('does not prevent the deletion of another program', async () => {
        const { program } = await addProgram(world, world.workspaceId, 'carl');
        expect(await world.outcome(intent('a'))).toBe('parked: details_pending');
        expect(await remove(program.id)).toMatchObject({ status: 200 });
        await wait();
        expect(await world.commissions()).toMatchObject([{ id: 'pi_a', status: 'approved' }]);
      });
    },
  );
}
