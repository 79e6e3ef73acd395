import { type Kysely, sql } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { findPayable } from '../money/payable.ts';

/** The amounts that a partner is owed and was paid in a program, in one currency. */
export interface PortalBalance {
  readonly programId: number;
  readonly partnerId: number;
  readonly currency: string;
  /** Commissions that wait for an approval or for the end of a dispute. */
  readonly pendingCents: number;
  /** Commissions whose hold has not ended. */
  readonly onHoldCents: number;
  /** Never negative, unlike the balance. */
  readonly payableCents: number;
  /** The part of the deductions that exceeds the payable commissions. It reduces later payouts. */
  readonly toDeductCents: number;
  readonly inPayoutCents: number;
  readonly paidCents: number;
  readonly balanceCents: number;
  /** When the next hold ends, or null if nothing is on hold. */
  readonly nextReleaseAt: number | null;
}

interface UnpaidRow {
  readonly partner_id: number;
  readonly currency: string;
  readonly kind: 'pending' | 'on_hold' | 'in_payout' | 'paid';
  readonly cents: number;
  readonly release_at: number | null;
}

/**
 * Reads the balances of the partners in a program, ordered by partner and currency. It reads the payouts, and
 * the commissions that are on hold, in review, or disputed. Indexes cover these rows, so the cost does not
 * depend on the number of other commissions.
 */
export async function listPortalBalances(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[],
  now: number,
): Promise<PortalBalance[]> {
  const payable = await findPayable(db, { programId, partnerIds }, now);
  const selected = sql`program_id = ${programId} AND partner_id IN (${sql.join(idList(partnerIds))})`;
  const openCents = sql`amount_cents - deducted_cents + adjusted_cents`;
  const isOpen = sql`${selected} AND payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL`;
  const { rows } = await sql<UnpaidRow>`
    SELECT partner_id, currency, 'pending' AS kind, SUM(${openCents}) AS cents, NULL AS release_at FROM commissions
      WHERE ${isOpen} AND disputed = 1 GROUP BY partner_id, currency
    UNION ALL SELECT partner_id, currency, CASE needs_approval WHEN 1 THEN 'pending' ELSE 'on_hold' END,
        SUM(${openCents}), MIN(CASE needs_approval WHEN 0 THEN releasable_at END) FROM commissions
      WHERE ${isOpen} AND approved_at IS NULL AND disputed = 0 AND (releasable_at > ${now} OR needs_approval = 1)
      GROUP BY partner_id, currency, needs_approval
    UNION ALL SELECT partner_id, currency, CASE status WHEN 'paid' THEN 'paid' ELSE 'in_payout' END,
        SUM(amount_cents), NULL FROM payouts
      WHERE ${selected} AND status IN ('pending', 'paid') GROUP BY partner_id, currency, status`.execute(db);
  return payable.map(({ partnerId, currency, balanceCents, payableCents }) => {
    const own = rows.filter((row) => row.partner_id === partnerId && row.currency === currency);
    const sumOf = (kind: UnpaidRow['kind']) =>
      own.reduce((sum, row) => sum + (row.kind === kind ? Number(row.cents) : 0), 0);
    const releases = own.flatMap(({ release_at }) => (release_at === null ? [] : [Number(release_at)]));
    return {
      programId,
      partnerId,
      currency,
      pendingCents: sumOf('pending'),
      onHoldCents: sumOf('on_hold'),
      payableCents: Math.max(0, payableCents),
      toDeductCents: Math.max(0, -payableCents),
      inPayoutCents: sumOf('in_payout'),
      paidCents: sumOf('paid'),
      balanceCents,
      nextReleaseAt: releases.length === 0 ? null : Math.min(...releases),
    };
  });
}
