import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import type { PastCommission } from '../../src/history/past-records.ts';
import { recordHistory } from '../../src/history/record-history.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { event, invoice } from '../support/stripe-events.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

const CUSTOMER = 'cus_1';

export function importedRenewalContract(kind: string, open: OpenEngine): void {
  describe(`a renewal of an imported commission on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      await importCommission();
      // Long after the attribution window.
      world.clock.now += 70 * DAY_MS;
    });
    afterEach(() => auditAndClose(world));

    async function importCommission(): Promise<void> {
      const at = world.clock.now;
      const partnerEmail = 'anna@partner.example';
      const commission: PastCommission = {
        id: 'c1',
        partnerEmail,
        customer: { ref: CUSTOMER, key: CUSTOMER, email: null, partnerEmail, code: null, signupAt: at },
        state: 'approved',
        saleCents: 1999,
        saleCurrency: 'USD',
        commissionCents: 500,
        currency: 'USD',
        earnedAt: at,
        dueAt: null,
        paidAt: null,
        payoutRef: null,
        paymentRefs: [],
        subscriptionId: null,
      };
      const options = { source: 'old', sourceTitle: 'Old', programSlug: null, isDryRun: false };
      await recordHistory(world.affkit.runtime, options, (record) =>
        record([{ kind: 'commission', commission }]),
      );
    }

    const sell = (name: string, fields: object = {}) =>
      world.sell({ transaction_id: `in_${name}`, customer_key: CUSTOMER, ...fields });
    const bill = (name: string) => {
      const metadata = { ...world.metadata, service_customer_key: CUSTOMER };
      const created = { created: Math.floor(world.clock.now / 1000) };
      return world.outcome(event('invoice.paid', invoice('current', name, 'a', metadata), created));
    };
    const earned = async () => (await world.commissions()).map(({ id }) => id);

    describe.each([{}, { is_recurring: true }])('that the API reports with %j', (fields) => {
      test.each([true, false])(
        'earns if a webhook names its subscription; webhook first: %s',
        async (isFirst) => {
          const reports = [() => sell('b', fields), () => bill('b')];
          for (const report of isFirst ? reports.toReversed() : reports) await report();
          expect(await earned()).toEqual(['old:c1', 'in_b']);
          world.clock.now += 30 * DAY_MS;
          await bill('c');
          expect(await earned()).toEqual(['old:c1', 'in_b', 'in_c']);
        },
      );
    });

    test.each([true, false])(
      'earns nothing if the subscription began later with an id of its own; webhook first: %s',
      async (isFirst) => {
        const reports = [() => sell('a', { subscription_id: 'plan-17' }), () => bill('a')];
        for (const report of isFirst ? reports.toReversed() : reports) await report();
        world.clock.now += 30 * DAY_MS;
        await bill('b');
        expect(await earned()).toEqual(['old:c1']);
      },
    );
  });
}
