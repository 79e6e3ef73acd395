import fc from 'fast-check';
import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPayouts } from '../../src/management/create-payouts.ts';
import { markPayoutPaid } from '../../src/management/payouts.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { findReceivedEvents } from '../../src/storage/reads/program-setup.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  charge,
  creditNote,
  dispute,
  event,
  invoice,
  refund,
  type StripeEvent,
} from '../support/stripe-events.ts';
import type { Shape } from '../support/stripe-shape.ts';
import { propertyRuns } from '../support/test-depth.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { unwrap } from '../support/world.ts';

export function refundEventContract(kind: string, open: OpenEngine): void {
  describe(`an event of a single refund on ${kind}`, () => {
    let world: WebhookWorld;
    let mailer: TestMailer;
    beforeEach(async () => {
      mailer = createTestMailer();
      world = await makeWebhookWorld(await open(), {}, { mailer, publicUrl: 'https://affkit.test' });
    });
    afterEach(async () => {
      await world.affkit.jobs.runOnce();
      expect((await verifyLedger(world.affkit.runtime, null)).fault).toBeNull();
      await auditAndClose(world);
    });

    const made = (type: string, name: string, cents: number, fields: Shape<Stripe.Refund> = {}) =>
      event(type, refund('a', name, cents, fields));
    const embedded = (...refunds: (readonly [name: string, cents: number])[]) => {
      const total = refunds.reduce((sum, [, cents]) => sum + cents, 0);
      const data = refunds.map(([name, cents]) => refund('a', name, cents));
      return event(
        'charge.refunded',
        charge('acacia', 'a', total, 1999, { refunds: { object: 'list', data } }),
      );
    };
    const deducted = async () => (await world.commissions()).map((row) => [row.status, row.deducted_cents]);

    test('a refund that fails before its email was sent is not announced', async () => {
      await world.outcomes(world.completed('a'), made('refund.created', '1', 1999));
      mailer.onSend = () => Promise.reject(new Error('451 Try again later'));
      await world.affkit.jobs.runOnce();
      const tried = await world.engine.read.selectFrom('emails').select(['kind', 'attempts']).execute();
      expect(tried).toContainEqual({ kind: 'commission_reversed', attempts: 1 });
      await world.outcome(made('refund.failed', '1', 1999, { status: 'failed' }));
      mailer.onSend = () => {};
      world.clock.now += 3_600_000;
      await world.affkit.jobs.runOnce();
      const subjects = mailer.accepted.map(({ subject }) => subject);
      expect(subjects.filter((subject) => subject.startsWith('A commission'))).toEqual([]);
    });

    test.each<[string, (name: string, cents: number) => StripeEvent]>([
      ['refund.created', (name, cents) => made('refund.created', name, cents)],
      ['refund.updated', (name, cents) => made('refund.updated', name, cents)],
      ['charge.refund.updated', (name, cents) => made('charge.refund.updated', name, cents)],
      ['charge.refunded with its refunds', (name, cents) => embedded([name, cents])],
    ])('%s deducts each refund once', async (_type, report) => {
      await world.outcome(world.completed('a'));
      expect(await world.outcomes(report('1', 500), report('1', 500))).toEqual([
        'refunded: refunded',
        'refund_skipped: already_applied',
      ]);
      expect(await world.outcomes(made('refund.created', '1', 500), world.refunded('a', 500))).toEqual([
        'refund_skipped: already_applied',
        'refund_skipped: already_applied',
      ]);
      expect(await world.outcomes(made('refund.created', '2', 1499), world.refunded('a', 1999))).toEqual([
        'refunded: reversed',
        'refund_skipped: already_applied',
      ]);
      expect(await deducted()).toEqual([['reversed', 400]]);
      expect((await world.balances()).program).toEqual({ USD: 0 });
    });

    test('a refund that failed restores the commission with a ledger entry', async () => {
      await world.outcome(world.completed('a'));
      await world.outcomes(made('refund.created', '1', 500), made('refund.created', '2', 1499));
      const entries = () =>
        world.engine.read
          .selectFrom('ledger_entries')
          .select(['id', 'kind', 'amount_cents'])
          .orderBy('id')
          .execute();
      const before = await entries();
      expect(await world.outcomes(made('refund.failed', '2', 1499, { status: 'failed' }))).toEqual([
        'refund_failed: refunded',
      ]);
      expect(await deducted()).toEqual([['refunded', 100]]);
      const after = await entries();
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after.slice(before.length)).toMatchObject([
        { kind: 'deduction', amount_cents: 300 },
        { kind: 'deduction', amount_cents: 300 },
      ]);
      expect(await world.outcomes(made('refund.updated', '1', 500, { status: 'canceled' }))).toEqual([
        'refund_failed: approved',
      ]);
      expect(await deducted()).toEqual([['approved', 0]]);
      expect((await world.balances()).program).toEqual({ USD: 400 });
      expect(await world.outcome(made('refund.created', '3', 1999))).toBe('refunded: reversed');
    });

    test('if a refund fails after its deduction lowered a payout, the next payout repays the deduction', async () => {
      await world.outcome(world.completed('a'));
      const pay = async () => {
        const [payout] = unwrap(await createPayouts(world.affkit.runtime, world.program, {}));
        unwrap(await markPayoutPaid(world.affkit.runtime, world.program, payout?.id ?? 0, {}));
        return payout?.amount_cents;
      };
      expect(await pay()).toBe(400);
      await world.outcome(made('refund.created', '1', 1999));
      await world.sell({ transaction_id: 'other', amount_cents: 5000 });
      expect(await pay()).toBe(600);
      await world.outcome(made('refund.failed', '1', 1999));
      const { refund: received } = await findReceivedEvents(world.engine.read, world.program.id);
      expect(received.total).toBe(1);
      expect(await deducted()).toEqual([
        ['paid', 0],
        ['paid', 0],
      ]);
      expect(await pay()).toBe(400);
      expect((await world.balances()).program).toEqual({ USD: 0 });
    });

    test('a failed refund restores the balance, even if the balance covered only a part of the deduction', async () => {
      await world.sell({ transaction_id: 'paid' });
      const [payout] = unwrap(await createPayouts(world.affkit.runtime, world.program, {}));
      unwrap(await markPayoutPaid(world.affkit.runtime, world.program, payout?.id ?? 0, {}));
      await world.track('refund', { transaction_id: 'paid' });
      await world.outcome(world.completed('a', { amount_total: 5000 }));
      expect((await world.balances()).program).toEqual({ USD: 600 });
      await world.outcome(made('refund.created', '1', 5000));
      expect((await world.balances()).program).toEqual({ USD: 0 });
      await world.outcome(made('refund.failed', '1', 5000));
      expect((await world.balances()).program).toEqual({ USD: 600 });
    });

    test.each(['r-2', 're_2'])(
      'a refund that fails after the API has refunded the rest with the id %s restores only its own deduction',
      async (refund_id) => {
        await world.outcome(world.completed('a', { amount_total: 1000, amount_subtotal: 1000 }));
        await world.outcome(made('refund.created', '1', 400));
        const rest = await world.track('refund', { transaction_id: 'pi_a', refund_id });
        expect(rest.body).toMatchObject({ status: 'reversed', deductionAmount: 1.2 });
        expect(await world.outcome(made('refund.failed', '1', 400, { status: 'failed' }))).toBe(
          'refund_failed: refunded',
        );
        expect(await deducted()).toEqual([['refunded', 120]]);
      },
    );

    test.each([
      ['1', 400, 120],
      ['2', 600, 80],
    ])(
      'if the API refunded a part and then the rest, the failure of refund %s restores its own deduction',
      async (name, cents, left) => {
        await world.outcome(world.completed('a', { amount_total: 1000, amount_subtotal: 1000 }));
        await world.track('refund', { transaction_id: 'pi_a', refund_id: 're_1', refund_amount_cents: 400 });
        await world.track('refund', { transaction_id: 'pi_a', refund_id: 're_2' });
        expect(await deducted()).toEqual([['reversed', 200]]);
        await world.outcome(made('refund.failed', name, cents, { status: 'failed' }));
        expect(await deducted()).toEqual([['refunded', left]]);
      },
    );

    test.each(['re_2', 'r-2'])(
      'a won dispute restores its own deduction if the API refunded the rest of the sale with the id %s',
      async (refund_id) => {
        await world.outcome(world.completed('a', { amount_total: 1000, amount_subtotal: 1000 }));
        await world.outcome(event('charge.dispute.closed', dispute('a', 'lost', 400)));
        await world.track('refund', { transaction_id: 'pi_a', refund_id });
        expect(await deducted()).toEqual([['reversed', 200]]);
        await world.outcome(event('charge.dispute.closed', dispute('a', 'won', 400)));
        expect(await deducted()).toEqual([['refunded', 120]]);
        if (refund_id === 're_2') await world.outcome(made('refund.created', '2', 600));
        expect(await deducted()).toEqual([['refunded', 120]]);
      },
    );

    test.each(['re_2', 'r-2'])(
      'a won dispute restores its own deduction if its amount grew before the API refunded the rest with the id %s',
      async (refund_id) => {
        await world.outcome(world.completed('a', { amount_total: 1000, amount_subtotal: 1000 }));
        const closed = (status: 'lost' | 'won', cents: number) =>
          world.outcome(event('charge.dispute.closed', dispute('a', status, cents)));
        await closed('lost', 400);
        await closed('lost', 600);
        await world.track('refund', { transaction_id: 'pi_a', refund_id });
        expect(await deducted()).toEqual([['reversed', 200]]);
        await closed('won', 600);
        expect(await deducted()).toEqual([['refunded', 80]]);
      },
    );

    test('a won dispute restores its own deduction if an earlier Affkit version stored the refund of the rest', async () => {
      await world.outcome(world.completed('a', { amount_total: 1000, amount_subtotal: 1000 }));
      await world.outcome(event('charge.dispute.closed', dispute('a', 'lost', 400)));
      await world.track('refund', { transaction_id: 'pi_a', refund_id: 're_2' });
      // Earlier versions did not store the sum of the lost disputes.
      await world.engine.write(0, ({ db }) => db.updateTable('refunds').set({ lost_cents: null }).execute());
      await world.outcome(event('charge.dispute.closed', dispute('a', 'won', 400)));
      expect(await deducted()).toEqual([['refunded', 120]]);
    });

    test('a refund of the rest that an earlier Affkit version stored is kept if an API refund has the id of a dispute', async () => {
      await world.outcome(world.completed('a', { amount_total: 1000, amount_subtotal: 1000 }));
      await world.outcome(world.refunded('a', 200, 1000));
      const disputed = dispute('a', 'needs_response', 300);
      await world.outcome(event('charge.dispute.created', disputed));
      await world.track('refund', {
        transaction_id: 'pi_a',
        refund_id: disputed.id,
        refund_amount_cents: 300,
      });
      await world.track('refund', { transaction_id: 'pi_a', refund_id: 're_2' });
      await world.engine.write(0, ({ db }) => db.updateTable('refunds').set({ lost_cents: null }).execute());
      await world.outcome(made('refund.created', '2', 500));
      expect(await deducted()).toEqual([['reversed', 200]]);
    });

    test('a sale stays refunded if a dispute was won before the API refunded the rest', async () => {
      await world.outcome(world.completed('a', { amount_total: 1000, amount_subtotal: 1000 }));
      await world.outcome(event('charge.dispute.closed', dispute('a', 'lost', 400)));
      await world.outcome(world.refunded('a', 800, 1000));
      await world.outcome(event('charge.dispute.closed', dispute('a', 'won', 400)));
      await world.track('refund', { transaction_id: 'pi_a', refund_id: 're_2' });
      expect(await deducted()).toEqual([['reversed', 200]]);
      await world.outcome(world.refunded('a', 800, 1000));
      expect(await deducted()).toEqual([['reversed', 200]]);
    });

    test.each(['re_2', 'r-2'])(
      'a refund of the rest with the id %s is kept even if a later event reports a smaller total',
      async (refund_id) => {
        await world.outcome(world.completed('a', { amount_total: 1000, amount_subtotal: 1000 }));
        await world.outcome(world.refunded('a', 400, 1000));
        const rest = await world.track('refund', { transaction_id: 'pi_a', refund_id });
        expect(rest.body).toMatchObject({ status: 'reversed', deductionAmount: 1.2 });
        if (refund_id === 're_2') await world.outcome(made('refund.created', '2', 600));
        await world.outcome(world.refunded('a', 400, 1000));
        expect(await deducted()).toEqual([['reversed', 200]]);
      },
    );

    test.each([500, 1999])(
      'a failed refund that the API then reports without an id changes nothing (%d cents)',
      async (refund_amount_cents) => {
        await world.outcome(world.completed('a'));
        await world.outcomes(made('refund.created', '1', 1999), made('refund.failed', '1', 1999));
        const { body } = await world.track('refund', { transaction_id: 'pi_a', refund_amount_cents });
        expect(body).toMatchObject({ status: 'skipped' });
        expect(await deducted()).toEqual([['approved', 0]]);
      },
    );

    test('a refund with the status requires_action is ignored until an event reports that it succeeded', async () => {
      await world.outcome(world.completed('a'));
      const waiting = made('refund.created', '1', 500, { status: 'requires_action' });
      expect(await world.outcome(waiting)).toBe('ignored: refund_pending');
      expect(await world.outcome(made('refund.updated', '1', 500))).toBe('refunded: refunded');
    });

    test('a refund is deducted once if the Affkit API and Stripe both report it with the same id', async () => {
      await world.outcomes(world.completed('a'), made('refund.created', '1', 500));
      const byApi = (refund_id: string, refund_amount_cents?: number) =>
        world.track('refund', { transaction_id: 'pi_a', refund_id, refund_amount_cents });
      expect((await byApi('re_1', 500)).body).toMatchObject({ status: 'refunded', deductionAmount: 1 });
      expect((await byApi('re_2', 500)).body).toMatchObject({ status: 'refunded', deductionAmount: 1 });
      expect(await world.outcomes(world.refunded('a', 1000), made('refund.created', '2', 500))).toEqual([
        'refund_skipped: already_applied',
        'refund_skipped: already_applied',
      ]);
      expect(await world.outcome(made('refund.failed', '2', 500))).toBe('refund_failed: refunded');
      expect(await deducted()).toEqual([['refunded', 100]]);
    });

    test.each(['acacia', 'current'] as const)('a credit note deducts its refund (%s)', async (version) => {
      const note = event('credit_note.created', creditNote(version, 'a', '1', 500));
      await world.outcome(event('invoice.paid', invoice(version, 'a', 'a', world.metadata)));
      expect(await world.outcome(note)).toBe('refunded: refunded');
      expect(await world.outcome(made('refund.created', '1', 500))).toBe('refund_skipped: already_applied');
      expect(await world.outcome(event('credit_note.created', creditNote(version, 'a', '1', 500)))).toMatch(
        'already_applied',
      );
      expect(await world.outcome(made('refund.failed', '1', 500))).toBe('refund_failed: approved');
      expect(await deducted()).toEqual([['approved', 0]]);
      const credit = creditNote(version, 'a', null, 500);
      expect(await world.outcome(event('credit_note.created', credit))).toBe(
        'ignored: credit_note_without_refund',
      );
    });

    test('leads to the same commissions and balances in any order of events, even if it arrives before the sale', async () => {
      let count = 0;
      const history = (name: string) => {
        const of = (type: string, id: string, cents: number, fields: Shape<Stripe.Refund> = {}) =>
          event(type, refund(name, `${name}${id}`, cents, fields));
        return [
          world.completed(name),
          of('refund.created', 'x', 500),
          of('refund.updated', 'x', 500),
          world.refunded(name, 500),
          of('refund.created', 'y', 700, { status: 'pending' }),
          world.refunded(name, 1200),
          of('refund.failed', 'y', 700, { status: 'failed' }),
          of('charge.refund.updated', 'y', 700, { status: 'failed' }),
          of('refund.created', 'z', 300),
          event(
            'charge.refunded',
            charge('current', name, 800, 1999, { refunds: { data: [refund(name, `${name}z`, 300)] } }),
          ),
        ];
      };
      const orders = fc.shuffledSubarray([...history('order').keys()], { minLength: 10 });
      await fc.assert(
        fc.asyncProperty(orders, fc.boolean(), async (order, isConcurrent) => {
          const events = history(`o${count++}`);
          const sends = order.map((place) => () => world.send(events[place]));
          if (isConcurrent) await Promise.all(sends.map((send) => send()));
          else for (const send of sends) await send();
          expect((await deducted()).at(-1)).toEqual(['refunded', 160]);
        }),
        propertyRuns({ short: 15, long: 200 }),
      );
      expect((await world.balances()).program).toEqual({ USD: 240 * count });
    });
  });
}
