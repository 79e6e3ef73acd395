import type { createPayoutsRequest, payPayoutRequest } from '@affkit/protocol';
import type { z } from 'zod';
import type { Decision } from '../domain/commission-status.ts';
import { computePayableCents, decideCancellation, decidePayment } from '../domain/payout.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { movePayout } from '../storage/ledger.ts';
import { sealProgram } from '../storage/ledger-chain.ts';
import { enqueueNotices } from '../storage/outbox.ts';
import { countEnrolled } from '../storage/partners.ts';
import { findPayout, type PayoutView } from '../storage/payout-list.ts';
import {
  dropPayout,
  freeCommissions,
  holdEnrolment,
  listPayoutCandidates,
  lockPayout,
  lockStanding,
  markCommissionsPaid,
  openPayout,
  type PayoutRow,
  type PayoutTarget,
  updatePayout,
} from '../storage/payouts.ts';
import { holdProgram, type ProgramAccount } from '../storage/programs.ts';
import { recordChange } from './audit.ts';

export type NewPayouts = z.output<typeof createPayoutsRequest>;
export type PayoutPayment = z.output<typeof payPayoutRequest>;

/**
 * Makes a pending payout of all that is payable for each partner and currency: of the approved partners, or of the
 * named ones, whatever their standing. Each is one transaction, so that none holds up the others; of two calls at once
 * each commission goes into one payout. Who is owed less than the minimum gets none: it is carried to the next time.
 * @returns the payouts made
 */
export async function createPayouts(
  runtime: Runtime,
  program: ProgramAccount,
  input: NewPayouts,
): Promise<PayoutView[] | Rejection> {
  const { read } = runtime.engine;
  const named = input.partner_ids ? [...new Set(input.partner_ids)] : null;
  if (named && (await countEnrolled(read, program.id, named)) < named.length) {
    return new Rejection('invalid_field', 'each of partner_ids must be the id of a partner of the program');
  }
  const leastCents = Math.max(1, input.min_amount_cents ?? 0);
  const made: PayoutView[] = [];
  for (const { partnerId, currency } of await listPayoutCandidates(read, program.id, named)) {
    const target = { programId: program.id, partnerId, currency };
    const payout = await runtime.engine.write(program.workspaceId, (tx) =>
      makePayout(tx, runtime, program, target, leastCents),
    );
    if (payout) made.push(payout);
  }
  return made;
}

async function makePayout(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  target: PayoutTarget,
  leastCents: number,
): Promise<PayoutView | null> {
  const now = runtime.now();
  if (!(await holdProgram(tx, program.id))) return null;
  await holdEnrolment(tx, program.id, target.partnerId);
  const id = await openPayout(tx, target, now);
  const amountCents = computePayableCents(await lockStanding(tx, target));
  if (amountCents < leastCents) {
    await dropPayout(tx, program.id, id);
    return null;
  }
  await movePayout(tx, { ...target, payoutId: id, at: now }, 'take', amountCents);
  const head = await sealProgram(tx, program.id);
  const change = { amount_cents: amountCents, chain_position: head.position, chain_hash: head.hash };
  await updatePayout(tx, { program_id: program.id, id }, change);
  const payout = await findPayout(tx.db, program.id, id);
  if (!payout) throw new Error(`Payout ${id} is gone within its own transaction`);
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: 'payout.create',
    subjectId: id,
    before: null,
    after: stateOf(payout),
  });
  return payout;
}

/** Books a pending payout as paid, and its commissions with it. A second time changes nothing. */
export function payPayout(
  runtime: Runtime,
  program: ProgramAccount,
  payoutId: number,
  input: PayoutPayment,
): Promise<PayoutView | Rejection> {
  return settle(runtime, program, payoutId, 'mark_paid', decidePayment, async (tx, payout) => {
    const at = runtime.now();
    const reference = input.reference ?? null;
    await movePayout(tx, subjectOf(payout, at), 'pay', payout.amount_cents);
    await updatePayout(tx, payout, { status: 'paid', paid_at: at, reference });
    await markCommissionsPaid(tx, payout, at);
    const payload = {
      payoutId: payout.id,
      amountCents: payout.amount_cents,
      currency: payout.currency,
      reference,
    };
    const notice = { partnerId: payout.partner_id, kind: 'payout_paid' as const, payload };
    await enqueueNotices(tx, program.id, 'notify_payout', payout.id, [notice], at);
  });
}

/** Gives the money of a pending payout back to what is payable. A second time changes nothing. */
export function cancelPayout(
  runtime: Runtime,
  program: ProgramAccount,
  payoutId: number,
): Promise<PayoutView | Rejection> {
  return settle(runtime, program, payoutId, 'cancel', decideCancellation, async (tx, payout) => {
    const at = runtime.now();
    await movePayout(tx, subjectOf(payout, at), 'give_back', payout.amount_cents);
    await updatePayout(tx, payout, { status: 'cancelled', cancelled_at: at });
    await freeCommissions(tx, program.id, payout.id);
  });
}

function settle(
  runtime: Runtime,
  program: ProgramAccount,
  payoutId: number,
  action: 'mark_paid' | 'cancel',
  rule: (status: PayoutRow['status']) => Decision,
  move: (tx: Transaction, payout: PayoutRow) => Promise<void>,
): Promise<PayoutView | Rejection> {
  return runtime.engine.write(program.workspaceId, async (tx) => {
    const before = await lockPayout(tx, program.id, payoutId);
    if (!before) return new Rejection('not_found');
    const decision = rule(before.status);
    if (decision !== 'move' && decision !== 'done') return new Rejection('payout_state', decision.refusal);
    if (decision === 'move') await move(tx, before);
    const after = await findPayout(tx.db, program.id, payoutId);
    if (!after) throw new Error(`Payout ${payoutId} is gone while it is locked`);
    if (decision === 'move') {
      await recordChange(tx, runtime, {
        workspaceId: program.workspaceId,
        programId: program.id,
        action: `payout.${action}`,
        subjectId: payoutId,
        before: stateOf(before),
        after: stateOf(after),
      });
    }
    return after;
  });
}

function subjectOf(payout: PayoutRow, at: number) {
  const { program_id: programId, partner_id: partnerId, currency, id: payoutId } = payout;
  return { programId, partnerId, currency, payoutId, at };
}

function stateOf({ partner_id, status, amount_cents, currency, reference }: PayoutRow) {
  return { partner_id, status, amount_cents, currency, reference };
}
