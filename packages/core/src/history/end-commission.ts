import type { Transaction } from '../storage/database/engine/engine.ts';
import { updateCommission } from '../storage/money/commissions.ts';
import { debitPartner, type LedgerSubject, postPayoutStep } from '../storage/money/ledger.ts';
import { sealLedger } from '../storage/money/ledger-chain.ts';
import { findPaidPayout, insertPayout, type PayoutRow, updatePayout } from '../storage/money/payouts.ts';
import { insertRefund } from '../storage/money/refunds.ts';
import type { HistoryScope } from './history-scope.ts';
import type { PastCommission } from './past-records.ts';

type CommissionSubject = LedgerSubject & { readonly commissionId: number };

/** Moves a newly credited commission to the state that it had in the other service. */
export async function applyPastState(
  tx: Transaction,
  scope: HistoryScope,
  past: PastCommission,
  subject: CommissionSubject,
  saleId: number,
): Promise<void> {
  const commission = { program_id: subject.programId, id: subject.commissionId };
  if (past.state === 'paid') await payCommission(tx, scope, past, subject);
  else if (past.state === 'reversed' && past.saleCents > 0) await reverse(tx, scope, past, subject, saleId);
  // Without a sale, there is nothing to refund, so a reversed commission is rejected.
  else if (past.state === 'rejected' || past.state === 'reversed') {
    await updateCommission(tx, commission, {
      status: 'rejected',
      rejected_at: subject.at,
      deducted_cents: past.commissionCents,
    });
    await debitPartner(tx, subject, 'deduction', past.commissionCents, () => 0);
  }
}

/** Stores a refund of the whole sale, and deducts the whole commission. */
async function reverse(
  tx: Transaction,
  { source, sourceTitle }: HistoryScope,
  past: PastCommission,
  subject: CommissionSubject,
  saleId: number,
): Promise<void> {
  const { programId, commissionId, at } = subject;
  const reason = `Reversed in ${sourceTitle}`;
  await updateCommission(
    tx,
    { program_id: programId, id: commissionId },
    { status: 'reversed', deducted_cents: past.commissionCents, refund_reason: reason },
  );
  const refundId = await insertRefund(tx, {
    program_id: programId,
    sale_id: saleId,
    commission_id: commissionId,
    source: 'api',
    refund_id: `${source}:${past.id}`,
    refund_amount_cents: null,
    applied_cents: past.saleCents,
    deduction_cents: past.commissionCents,
    status: 'reversed',
    reason,
    refund_at: past.earnedAt,
    created_at: at,
  });
  await debitPartner(tx, { ...subject, refundId }, 'deduction', past.commissionCents, () => 0);
}

/**
 * Adds the commission to the paid payout with the same payout reference. If there is none, creates a payout.
 * Commissions are recorded one by one, so each of them increases the amount of their payout.
 */
async function payCommission(
  tx: Transaction,
  { source }: HistoryScope,
  past: PastCommission,
  { programId, partnerId, currency, commissionId, at }: CommissionSubject,
): Promise<void> {
  const paidAt = past.paidAt ?? past.earnedAt;
  const reference = `${source}:${past.payoutRef ?? new Date(paidAt).toISOString().slice(0, 10)}`;
  const target = { program_id: programId, partner_id: partnerId, currency };
  const payout =
    (await findPaidPayout(tx, { ...target, reference })) ??
    (await insertPaidPayout(tx, { ...target, created_at: at }, reference, paidAt));
  await updateCommission(
    tx,
    { program_id: programId, id: commissionId },
    { status: 'paid', payout_id: payout.id, paid_at: paidAt },
  );
  const movement = { programId, partnerId, currency, payoutId: payout.id, at };
  await postPayoutStep(tx, movement, 'take', past.commissionCents);
  await postPayoutStep(tx, movement, 'pay', past.commissionCents);
  await updatePayout(tx, payout, { amount_cents: payout.amount_cents + past.commissionCents });
}

async function insertPaidPayout(
  tx: Transaction,
  target: Parameters<typeof insertPayout>[1],
  reference: string,
  paidAt: number,
): Promise<PayoutRow> {
  const payout = await insertPayout(tx, target);
  const head = await sealLedger(tx, target.program_id);
  const change = {
    status: 'paid' as const,
    reference,
    paid_at: paidAt,
    chain_position: head.position,
    chain_hash: head.hash,
  };
  await updatePayout(tx, payout, change);
  return { ...payout, ...change };
}
