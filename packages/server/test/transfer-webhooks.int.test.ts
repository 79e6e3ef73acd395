import { importProgram } from '@affkit/core';
import { describe, expect, test } from 'vitest';
import { engineKinds, type OpenEngine } from '../../core/test/support/engine-kinds.ts';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { DAY } from '../../core/test/support/payout-world.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import {
  charge,
  dispute,
  event,
  invoicePayment,
  paymentIntent,
  paymentSession,
  type StripeEvent,
} from '../../core/test/support/stripe-events.ts';
import {
  expectConsistent,
  openTarget,
  recordHistory,
  worldOfImport,
} from '../../core/test/support/transfer-world.ts';
import { CONNECTIONS, sign, WEBHOOK_SECRET } from '../../core/test/support/webhook-world.ts';
import { createCaller, signInOwner, type World } from '../../core/test/support/world.ts';
import { openExport } from '../src/commands/transfer/export-folder.ts';
import { runExportCommand, runImportCommand } from './transfer-commands.ts';

const REFUND = event('charge.refunded', charge('current', 'refunded', 1999));
const DISPUTE = event('charge.dispute.created', dispute('disputed', 'needs_response'));
const OTHER_ID = event('invoice_payment.paid', invoicePayment('refunded'));

test.each(Object.entries(engineKinds))(
  'an export is rejected on %s while a payment waits for its details',
  async (_kind, open) => {
    const { world: source } = await recordHistory(await open(), 3, 40);
    await source.track('lead', { click_id: await source.click('anna'), customer_key: 'payer' });
    const sendAll = await connectStripe(source);
    const metadata = { program_id: String(source.program.id), service_customer_key: 'payer' };
    const paid = event('payment_intent.succeeded', paymentIntent('current', 'waiting', metadata));
    expect(await sendAll(paid)).toEqual(['parked']);
    const options = { programId: source.program.id, folder: makeTempFolder() };
    expect(await runExportCommand(source.engine, options)).toMatchObject({
      code: 1,
      result: { error: expect.stringContaining('waits for an event of the processor') },
    });
    source.clock.now += 600_000;
    await source.affkit.jobs.runOnce();
    expect((await runExportCommand(source.engine, options)).code).toBe(0);
    await source.affkit.close();
  },
);

describe.each(Object.entries(engineKinds))(
  'webhooks about payments of an imported program on %s',
  (_kind, open) => {
    test('are answered with 503 during the import, and applied after it', async () => {
      const { source, target, folder, sendAll, expectApplied } = await openMove(open);
      const verified = await openExport(folder);
      async function* readRows(table: string) {
        if (table === 'refunds') expect(await sendAll(REFUND, DISPUTE, OTHER_ID)).toEqual([503, 503, 503]);
        yield* verified.readRows(table);
      }
      const options = { workspaceId: target.workspaceId, now: () => source.clock.now };
      const { programId } = await importProgram(target.affkit.runtime, { ...verified, readRows }, options);
      expect(await sendAll(REFUND, DISPUTE, OTHER_ID)).toEqual(['refunded', 'dispute_held', 'tied']);
      await expectApplied(programId);
    });

    test('are ignored if the import is abandoned, and applied when they are sent again after it', async () => {
      const { source, target, folder, sendAll, expectApplied } = await openMove(open);
      expect(await sendAll(DISPUTE)).toEqual(['parked']);
      const verified = await openExport(folder);
      async function* readRows(table: string) {
        if (table === 'refunds') throw new Error('killed');
        yield* verified.readRows(table);
      }
      const options = { workspaceId: target.workspaceId, now: () => source.clock.now };
      const killed = importProgram(target.affkit.runtime, { ...verified, readRows }, options);
      await expect(killed).rejects.toThrow('killed');
      source.clock.now += 3 * DAY - 1;
      expect(await sendAll(REFUND)).toEqual([503]);
      source.clock.now += 1;
      expect(await sendAll(REFUND, OTHER_ID)).toEqual(['ignored', 'ignored']);
      await target.affkit.jobs.runOnce();
      const { rows } = await sql<{ due: number }>`SELECT COUNT(*) AS due FROM processor_disputes
        WHERE check_at IS NOT NULL`.execute(target.engine.read);
      expect(Number(rows[0]?.due)).toBe(0);

      const { programId } = await importProgram(target.affkit.runtime, verified, options);
      expect(await sendAll(REFUND, OTHER_ID)).toEqual(['refunded', 'tied']);
      await target.affkit.jobs.runOnce();
      await expectApplied(programId);
    });

    test.each([
      ['days', 2 * DAY],
      ['a second', 1_000],
    ])('are applied if they arrived %s before the import', async (_time, waitMs) => {
      const { source, target, folder, sendAll, expectApplied } = await openMove(open);
      expect(await sendAll(REFUND, DISPUTE)).toEqual(['parked', 'parked']);
      source.clock.now += waitMs;
      await target.affkit.jobs.runOnce();
      const verified = await openExport(folder);
      async function* readRows(table: string) {
        if (table === 'refunds') {
          // The job checks parked events after a minute. This must not change imported rows.
          source.clock.now += 120_000;
          await target.affkit.jobs.runOnce();
        }
        yield* verified.readRows(table);
      }
      const options = { workspaceId: target.workspaceId, now: () => source.clock.now };
      const { programId } = await importProgram(target.affkit.runtime, { ...verified, readRows }, options);
      await target.affkit.jobs.runOnce();
      await expectApplied(programId);
    });

    test('are recorded for the program of their customer if they name the id that it had before', async () => {
      const { source, target, folder, sendAll } = await openMove(open, true);
      const { result } = await runImportCommand(target.engine, { folder, workspaceId: null });
      const programId = Number(result['program_id']);
      const own = await target.engine.read
        .selectFrom('customers')
        .select(['program_id', 'click_id'])
        .where('program_id', '<>', programId)
        .executeTakeFirstOrThrow();
      expect(own.program_id).toBe(source.program.id);
      await target.engine.write(own.program_id, (tx) =>
        sql`UPDATE customers SET customer_key = 'shared', key_state = 'verified'
          WHERE program_id = ${own.program_id} AND click_id = ${own.click_id}`.execute(tx.db),
      );
      const paid = (name: string, customer: Readonly<Record<string, string>>) => {
        const metadata = { program_id: String(source.program.id), ...customer };
        return event('checkout.session.completed', paymentSession(name, metadata));
      };
      // The other program with this id can have an unknown customer with the same key.
      const ofKey = paid('of_key', { service_customer_key: 'subscriber' });
      const ofClick = paid('of_click', { service_click_id: source.clickId });
      const ofOwn = paid('of_own', { service_click_id: own.click_id });
      const ofOwnKey = paid('of_own_key', { service_customer_key: 'shared' });
      const ofClickAndOwnKey = paid('of_click_and_own_key', {
        service_click_id: source.clickId,
        service_customer_key: 'shared',
      });
      const ofNobody = paid('of_nobody', { service_customer_key: 'nobody\u0000' });
      expect(await sendAll(ofClick, ofOwn, ofOwnKey, ofClickAndOwnKey, ofKey, ofNobody)).toEqual([
        'sale_recorded',
        'sale_recorded',
        'sale_recorded',
        'sale_recorded',
        'ignored',
        'ignored',
      ]);
      expect(await sendAll({ ...ofClick, id: 'evt_again' })).toEqual(['duplicate']);
      const sales = await target.engine.read
        .selectFrom('sales')
        .select(['processor_event_id', 'program_id', 'no_commission_reason'])
        .where('processor_event_id', 'like', '%of_%')
        .orderBy('id')
        .execute();
      expect(sales).toEqual([
        { processor_event_id: 'pi_of_click', program_id: programId, no_commission_reason: null },
        { processor_event_id: 'pi_of_own', program_id: own.program_id, no_commission_reason: null },
        { processor_event_id: 'pi_of_own_key', program_id: own.program_id, no_commission_reason: null },
        { processor_event_id: 'pi_of_click_and_own_key', program_id: programId, no_commission_reason: null },
      ]);
      await expectConsistent(target);
      await source.affkit.close();
      await target.affkit.close();
    });
  },
);

/** Exports a program, and opens an installation that already receives the webhooks of the program's processor. */
async function openMove(open: OpenEngine, isUsed = false) {
  const { world } = await recordHistory(await open(), 3, 40);
  const source = { ...world, clickId: await world.click('anna') };
  await source.track('lead', { click_id: await source.click('anna'), customer_key: 'subscriber' });
  const commissions = {
    refunded: await source.sell('order-refunded', 1999, { processor_refs: ['pi_refunded'] }),
    disputed: await source.sell('order-disputed', 1999, { processor_refs: ['pi_disputed', 'ch_disputed'] }),
  };
  await source.affkit.jobs.runOnce();
  const folder = makeTempFolder();
  await runExportCommand(source.engine, { programId: source.program.id, folder });
  const target = await openTarget(await open(), isUsed, source.clock);
  const sendAll = await connectStripe({
    ...source,
    ...target,
    call: createCaller(target.affkit),
  });
  /** Checks that the refund and the dispute are applied, and closes both installations. */
  const expectApplied = async (programId: number) => {
    const moved = await worldOfImport(target, programId, source);
    expect(await moved.commission(commissions.refunded)).toMatchObject({ status: 'reversed' });
    expect(await moved.commission(commissions.disputed)).toMatchObject({ disputed: true });
    await expectConsistent(target);
    await source.affkit.close();
    await target.affkit.close();
  };
  return { source, target, folder, sendAll, expectApplied };
}

/** Connects Stripe to the workspace. @returns a function that sends webhooks, and returns their outcomes */
async function connectStripe(world: World) {
  const connection = {
    processor: 'stripe',
    account_id: 'acct_1',
    webhook_secret: WEBHOOK_SECRET,
    workspace_id: world.workspaceId,
  };
  const { body } = await world.call('POST', CONNECTIONS, connection, { ...(await signInOwner(world)) });
  const { webhook_path: path } = body['data'] as { webhook_path: string };
  return async (...events: StripeEvent[]) => {
    const outcomes: unknown[] = [];
    for (const one of events) {
      const payload = JSON.stringify(one);
      const signature = sign(payload, WEBHOOK_SECRET, world.clock.now);
      const reply = await world.call('POST', path, payload, { 'stripe-signature': signature });
      outcomes.push(reply.status === 200 ? reply.body['outcome'] : reply.status);
    }
    return outcomes;
  };
}
