import type { createPayoutsRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { queuePayoutEmail } from '../emails/notice-emails.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { rollbackStepWhen } from '../storage/database/rollback-when.ts';
import type { PartnerProgramStatus } from '../storage/database/schema-programs.ts';
import { lockBalance, postPayoutStep } from '../storage/money/ledger.ts';
import { sealLedger } from '../storage/money/ledger-chain.ts';
import { findPayable, type PayableBalance, type PayoutTotal } from '../storage/money/payable.ts';
import { findPartnerMinimums, findPayoutSettings } from '../storage/money/payout-settings.ts';
import {
  assignCommissions,
  findPayout,
  insertPayout,
  type PayoutView,
  updatePayout,
} from '../storage/money/payouts.ts';
import { findEnrollmentStatuses, lockEnrollment } from '../storage/programs/partners.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { payoutEvent } from '../webhooks/event-payloads.ts';
import { loadPublisher, publishEvents } from '../webhooks/publish-events.ts';
import { recordChange } from './audit.ts';
import { payoutStateOf } from './payouts.ts';
import { writeEach } from './write-each.ts';

export type PayoutOrder = z.output<typeof createPayoutsRequest>;

/** Partners with these statuses are paid only when the request names them. */
export const EXCLUDED_STATUSES: readonly PartnerProgramStatus[] = ['rejected', 'banned'];

/**
 * Creates a pending payout for each partner and currency of the program. A payout contains everything that is
 * payable: commissions plus adjustments, minus clawbacks (deductions from commissions that were already paid). If
 * the sum is below the minimum, no payout is created, and a later payout can include the amounts. The minimum is
 * the one in the request, or else the partner's, or else the program's. Rejected and banned partners are paid only
 * when the request names them.
 *
 * If the request has `expected_totals`, they must equal the current totals; otherwise, the request is
 * rejected. A payout whose amount changes after this check is not created.
 *
 * The payouts of each partner are created in one transaction. After a failure, repeat the request to create
 * the rest. With `expected_totals`, send the totals of a new preview, because the payouts that were created are no
 * longer payable. Concurrent requests never put a commission into two payouts.
 */
export async function createPayouts(
  runtime: Runtime,
  program: ProgramAccount,
  order: PayoutOrder,
): Promise<PayoutView[] | Rejection> {
  const at = runtime.now();
  const payable = await choosePayable(runtime, program, order, at);
  if (isRejection(payable)) return payable;
  const { expected_totals: expected } = order;
  if (expected && !areSameTotals(totalPayouts(payable), expected)) {
    return new Rejection(
      'conflict',
      'The payable amounts have changed, so this request created no payouts. Check the new amounts and try again.',
    );
  }
  const minimumOf = await loadMinimums(runtime, program.id, order);
  const partners = [...Map.groupBy(payable, ({ partnerId }) => partnerId)];
  const created = await writeEach(runtime, program, partners, async (tx, [partnerId, balances]) => {
    if (!(await lockProgramShared(tx, program.id))) return [];
    const status = await lockEnrollment(tx, program.id, partnerId);
    const isExcluded = status !== null && EXCLUDED_STATUSES.includes(status);
    if (order.partner_ids === undefined && isExcluded) return [];
    const payouts: PayoutView[] = [];
    for (const { currency, payableCents } of balances) {
      const payoutTarget = { program_id: program.id, partner_id: partnerId, currency, created_at: at };
      const minCents = minimumOf(partnerId);
      const isAccepted = (cents: number) =>
        cents >= minCents && (expected === undefined || cents === payableCents);
      const payout = await rollbackStepWhen(
        tx,
        () => createPayout(tx, runtime, program, payoutTarget, isAccepted),
        (result) => result === null,
      );
      if (payout) payouts.push(payout);
    }
    return payouts;
  });
  return created.flat();
}

/** Sums the payouts by currency. */
export function totalPayouts(payable: readonly PayableBalance[]): PayoutTotal[] {
  return [...Map.groupBy(payable, ({ currency }) => currency)].map(([currency, rows]) => ({
    currency,
    payouts: rows.length,
    amount_cents: rows.reduce((sum, { payableCents }) => sum + payableCents, 0),
  }));
}

function areSameTotals(totals: readonly PayoutTotal[], expected: readonly PayoutTotal[]): boolean {
  const toText = ({ currency, payouts, amount_cents }: PayoutTotal) =>
    `${currency} ${payouts} ${amount_cents}`;
  const texts = new Set(expected.map(toText));
  return totals.length === expected.length && totals.every((total) => texts.has(toText(total)));
}

/**
 * Returns the balances that `createPayouts` would pay at the time `at`, one for each partner and currency.
 */
export async function choosePayable(
  runtime: Runtime,
  program: ProgramAccount,
  order: PayoutOrder,
  at: number,
): Promise<PayableBalance[] | Rejection> {
  const { partner_ids: requestedIds = null, excluded_partner_ids: excludedIds = [] } = order;
  const partnerIds = await choosePaidPartners(runtime, program, requestedIds);
  if (isRejection(partnerIds)) return partnerIds;
  const unknownId = await findUnknownPartner(runtime, program, excludedIds);
  if (unknownId !== undefined) return unknownPartner('excluded_partner_ids', unknownId);
  const selection = { programId: program.id, partnerIds: requestedIds };
  const balances = await findPayable(runtime.engine.read, selection, at);
  const minimumOf = await loadMinimums(runtime, program.id, order);
  const excluded = new Set(excludedIds);
  return balances.filter(
    ({ partnerId, payableCents }) =>
      partnerIds.has(partnerId) && !excluded.has(partnerId) && payableCents >= minimumOf(partnerId),
  );
}

/**
 * Returns a function that finds the minimum payout of a partner: the one in the request, or else the
 * partner's, or else the program's.
 */
async function loadMinimums(
  runtime: Runtime,
  programId: number,
  { min_amount_cents: requestedCents, partner_ids: partnerIds }: PayoutOrder,
): Promise<(partnerId: number) => number> {
  if (requestedCents !== undefined) return () => Math.max(1, requestedCents);
  const { read } = runtime.engine;
  const { min_payout_cents: programCents } = await findPayoutSettings(read, programId);
  const partnerMinimums = await findPartnerMinimums(read, programId, partnerIds ?? null);
  return (partnerId) => partnerMinimums.get(partnerId) ?? programCents ?? 1;
}

async function choosePaidPartners(
  runtime: Runtime,
  program: ProgramAccount,
  requestedIds: readonly number[] | null,
): Promise<ReadonlySet<number> | Rejection> {
  const statuses = await findEnrollmentStatuses(runtime.engine.read, program.id, requestedIds);
  if (requestedIds === null) {
    return new Set(
      [...statuses].filter(([, status]) => !EXCLUDED_STATUSES.includes(status)).map(([id]) => id),
    );
  }
  const unknown = requestedIds.find((id) => !statuses.has(id));
  return unknown === undefined ? new Set(requestedIds) : unknownPartner('partner_ids', unknown);
}

async function findUnknownPartner(
  runtime: Runtime,
  program: ProgramAccount,
  ids: readonly number[],
): Promise<number | undefined> {
  const known = await findEnrollmentStatuses(runtime.engine.read, program.id, ids);
  return ids.find((id) => !known.has(id));
}

function unknownPartner(field: string, id: number): Rejection {
  return new Rejection('invalid_field', `${field} must contain only partners of the program, got ${id}`);
}

/** @returns null when `isAccepted` returns false for the payable amount; the caller must then roll back */
async function createPayout(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  target: Parameters<typeof insertPayout>[1],
  isAccepted: (amountCents: number) => boolean,
): Promise<PayoutView | null> {
  const { partner_id: partnerId, currency, created_at: at } = target;
  const payout = await insertPayout(tx, target);
  await assignCommissions(tx, payout, at);
  // Every credit and debit locks the balance too. The amounts that are read below are therefore complete.
  await lockBalance(tx, program.id, partnerId, currency);
  const selection = { programId: program.id, partnerIds: [partnerId], currency };
  const [balance] = await findPayable(tx.db, selection, null);
  const amountCents = balance?.payableCents ?? 0;
  if (!isAccepted(amountCents)) return null;
  const subject = { programId: program.id, partnerId, currency, payoutId: payout.id, at };
  await postPayoutStep(tx, subject, 'take', amountCents);
  const head = await sealLedger(tx, program.id);
  const change = { amount_cents: amountCents, chain_position: head.position, chain_hash: head.hash };
  await updatePayout(tx, payout, change);
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: 'payout.create',
    subjectId: payout.id,
    before: null,
    after: { ...payoutStateOf(payout), amount_cents: amountCents, partner_id: partnerId, currency },
  });
  const announced = { ...payout, amount_cents: amountCents };
  await queuePayoutEmail(tx, runtime, announced, { kind: 'payout_created', detail: null });
  const publisher = await loadPublisher(tx, program.id);
  await publishEvents(tx, [{ program: publisher, event: payoutEvent('payout.created', announced) }], at);
  return await findPayout(tx.db, program.id, payout.id);
}
