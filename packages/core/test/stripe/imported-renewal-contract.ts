import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { createPolicy, deletePolicy } from '../../src/management/policies.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { importCommissions } from '../support/import-commissions.ts';
import { event, invoice } from '../support/stripe-events.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { unwrap } from '../support/world.ts';

const CUSTOMER = 'cus_1';
const IMPORTED = `old:anna-${CUSTOMER}`;

export function importedRenewalContract(kind: string, open: OpenEngine): void {
  describe(`a renewal of an imported commission on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      await importFor({ customerOf: 'anna', partners: ['anna'] });
      // Long after the attribution window.
      world.clock.now += 70 * DAY_MS;
    });
    afterEach(() => auditAndClose(world));

    /** Imports a commission for each of the partners, all for the same customer. The first one is the earliest. */
    async function importFor(given: {
      readonly customerOf: string;
      readonly partners: readonly string[];
      readonly ref?: string;
    }): Promise<void> {
      const { customerOf, partners, ref = CUSTOMER } = given;
      const emailOf = (partner: string) => `${partner}@partner.example`;
      const at = world.clock.now;
      const customer = {
        ref,
        key: ref,
        email: null,
        partnerEmail: emailOf(customerOf),
        code: null,
        signupAt: at,
      };
      const commissions = partners.map((partner, index) => ({
        id: `${partner}-${ref}`,
        partnerEmail: emailOf(partner),
        customer,
        saleCents: 1999,
        commissionCents: 500,
        earnedAt: at + index,
      }));
      await importCommissions(world.affkit.runtime, commissions);
    }

    const sell = (name: string, fields: object = {}) =>
      world.sell({ transaction_id: `in_${name}`, customer_key: CUSTOMER, ...fields });
    const bill = (name: string) => {
      const metadata = { ...world.metadata, service_customer_key: CUSTOMER };
      const created = { created: Math.floor(world.clock.now / 1000) };
      return world.outcome(event('invoice.paid', invoice('current', name, 'a', metadata), created));
    };
    const earned = async () => (await world.commissions()).map(({ id }) => id);

    describe.each([{}, { is_recurring: true }, { subscription_id: 'sub_a' }, { subscription_id: 'plan-17' }])(
      'that the API reports with %j',
      (fields) => {
        test.each([true, false])(
          'earns if a webhook names its subscription; webhook first: %s',
          async (isFirst) => {
            const reports = [() => sell('b', fields), () => bill('b')];
            for (const report of isFirst ? reports.toReversed() : reports) await report();
            expect(await earned()).toEqual([IMPORTED, 'in_b']);
            world.clock.now += 30 * DAY_MS;
            await bill('c');
            expect(await earned()).toEqual([IMPORTED, 'in_b', 'in_c']);
          },
        );
      },
    );

    test.each([true, false])(
      'earns nothing if the subscription began later with an id of its own; webhook first: %s',
      async (isFirst) => {
        const reports = [() => sell('a', { subscription_id: 'plan-17' }), () => bill('a')];
        for (const report of isFirst ? reports.toReversed() : reports) await report();
        world.clock.now += 30 * DAY_MS;
        await bill('b');
        expect(await earned()).toEqual([IMPORTED]);
      },
    );

    test.each(['sub_a', 'plan-17'])(
      'earns with the id %s even if another renewal looked like the first payment',
      async (subscription_id) => {
        for (const order of ['bc', 'cb']) {
          const names = [...order].map((name) => `${name}-${order}`);
          await sell(`b-${order}`, { subscription_id });
          await sell(`c-${order}`, { subscription_id });
          for (const name of names) await bill(name);
        }
        expect((await earned()).toSorted()).toEqual(
          [IMPORTED, 'in_b-bc', 'in_b-cb', 'in_c-bc', 'in_c-cb'].toSorted(),
        );
      },
    );

    test('earns if a later renewal that earned looked like the first payment', async () => {
      const created = { created: Math.floor(world.clock.now / 1000) };
      world.clock.now += 30 * DAY_MS;
      await bill('c');
      await sell('d', { subscription_id: 'sub_a' });
      const metadata = { ...world.metadata, service_customer_key: CUSTOMER };
      await world.outcome(event('invoice.paid', invoice('current', 'b', 'a', metadata), created));
      await bill('d');
      expect((await earned()).toSorted()).toEqual(['in_b', 'in_c', 'in_d', IMPORTED]);
    });

    test.each([{}, { is_recurring: true }])(
      'earns nothing if only the API reported the first payment, with an id of its own, and the renewal with %j',
      async (fields) => {
        await sell('a', { subscription_id: 'plan-17' });
        world.clock.now += 30 * DAY_MS;
        await sell('b', { subscription_id: 'plan-17', ...fields });
        await bill('b');
        expect(await earned()).toEqual([IMPORTED]);
      },
    );

    test('has the terms of its own partner if the customer had several partners in the other service', async () => {
      const terms = { type: 'percent', rate: 90, recurring_months: 0 } as const;
      unwrap(
        await createPolicy(world.affkit.runtime, world.program, {
          ...terms,
          partner_id: world.ben.partnerId,
        }),
      );
      await importFor({ customerOf: 'anna', partners: ['ben', 'anna'], ref: 'cus_2' });
      world.clock.now += 70 * DAY_MS;
      const sale = { customer_key: 'cus_2', subscription_id: 'sub_2', is_recurring: true };
      expect((await sell('d', sale)).body).toMatchObject({ commission_id: expect.any(Number) });
    });

    test('ends with the imported period even if the imported sale gets another subscription', async () => {
      const { runtime } = world.affkit;
      const terms = {
        type: 'percent',
        rate: 90,
        recurring_months: 4,
        partner_id: world.ben.partnerId,
      } as const;
      unwrap(await createPolicy(runtime, world.program, terms));
      await importFor({ customerOf: 'ben', partners: ['ben'], ref: 'cus_2' });
      world.clock.now += 70 * DAY_MS;
      const renew = (name: string) =>
        sell(name, { customer_key: 'cus_2', subscription_id: 'sub_2', is_recurring: true });
      expect((await renew('d')).body).toMatchObject({ commission_id: expect.any(Number) });
      await sell('x', { transaction_id: 'old:ben-cus_2', customer_key: 'cus_2', subscription_id: 'sub_3' });
      world.clock.now += 60 * DAY_MS;
      expect((await renew('e')).body).toMatchObject({ reason: 'recurring_ended' });
    });

    test('earns by the first payment of its own subscription after the imported period has ended', async () => {
      const { runtime } = world.affkit;
      const terms = {
        type: 'percent',
        rate: 90,
        recurring_months: 1,
        partner_id: world.ben.partnerId,
      } as const;
      const policy = unwrap(await createPolicy(runtime, world.program, terms));
      await importFor({ customerOf: 'ben', partners: ['ben'], ref: 'cus_2' });
      unwrap(await deletePolicy(runtime, world.program, policy.id));
      const metadata = { ...world.metadata, service_customer_key: 'cus_2' };
      const pay = (name: string) => {
        const created = { created: Math.floor(world.clock.now / 1000) };
        return world.outcome(event('invoice.paid', invoice('current', name, 'a', metadata), created));
      };
      await pay('a');
      world.clock.now += 70 * DAY_MS;
      const sale = { customer_key: 'cus_2', subscription_id: 'plan-17', is_recurring: true };
      expect((await sell('b', sale)).body).toMatchObject({ reason: 'recurring_ended' });
      await pay('b');
      expect(await earned()).toContain('in_b');
    });

    test('does not pay for the first payment of its subscription that is reported later', async () => {
      const startedAt = world.clock.now;
      world.clock.now += 30 * DAY_MS;
      await bill('b');
      expect(await earned()).toEqual([IMPORTED, 'in_b']);
      const metadata = { ...world.metadata, service_customer_key: CUSTOMER };
      const created = { created: Math.floor(startedAt / 1000) };
      await world.outcome(event('invoice.paid', invoice('current', 'a', 'a', metadata), created));
      await sell('c', { is_recurring: true });
      await bill('c');
      expect(await earned()).toEqual([IMPORTED, 'in_b', 'in_c']);
    });
  });
}
