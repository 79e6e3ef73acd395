import { type Kysely, type RawBuilder, sql } from 'kysely';
import { DAY_MS, utcDay } from '../../domain/calendar.ts';
import { idList, MAX_IDS_PER_STATEMENT } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

/** A partner's balance in a program and currency, and the part of it that a payout could include now. */
export interface PayableBalance {
  readonly partnerId: number;
  readonly currency: string;
  readonly balanceCents: number;
  /**
   * Negative when clawbacks exceed the payable commissions. The excess is deducted from commissions that become
   * payable later.
   */
  readonly payableCents: number;
}

/**
 * The number and the sum of the payouts in one currency. Payout runs store this object as JSON, so its field names must
 * not change.
 */
export interface PayoutTotal {
  readonly currency: string;
  readonly payouts: number;
  readonly amount_cents: number;
}

/**
 * Selects balances of a program. If `partnerIds` is null, it selects those of all partners. If `currency` is missing,
 * it selects those in all currencies.
 */
export interface PayableFilter {
  readonly programId: number;
  readonly partnerIds: readonly number[] | null;
  readonly currency?: string;
}

/**
 * Computes the amount that a payout can include: the balance, minus pending payouts, minus unpaid commissions
 * that the payout must not include. The balance already contains clawbacks and adjustments. A single statement reads
 * all amounts, so they belong to one snapshot.
 * @param holdAt excludes commissions that are on hold or disputed at this time. Null excludes all commissions
 * without a payout. Use null after the payable commissions have been assigned to a payout.
 */
export async function findPayable(
  db: Kysely<Schema>,
  { programId, partnerIds, currency }: PayableFilter,
  holdAt: number | null,
): Promise<PayableBalance[]> {
  const hasManyIds = partnerIds !== null && partnerIds.length > MAX_IDS_PER_STATEMENT;
  const ofPartners =
    partnerIds === null || hasManyIds ? sql`` : sql`AND partner_id IN (${sql.join(idList(partnerIds))})`;
  const ofCurrency = currency === undefined ? sql`` : sql`AND currency = ${currency}`;
  const selected = sql`program_id = ${programId} ${ofPartners} ${ofCurrency}`;
  const openCents = sql`amount_cents - deducted_cents + adjusted_cents`;
  const open = sql`SELECT partner_id, currency, NULL AS balance_cents, ${openCents} AS taken_cents FROM commissions
    WHERE ${selected} AND payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL`;
  const excluded = holdAt === null ? [open] : [sql`${open} AND disputed = 1`, ...heldAmounts(holdAt)];
  const { rows } = await sql<BalanceRow>`SELECT partner_id, currency, SUM(balance_cents) AS balance_cents,
      COALESCE(SUM(taken_cents), 0) AS taken_cents
    FROM (SELECT partner_id, currency, balance_cents, NULL AS taken_cents FROM balances WHERE ${selected}
      UNION ALL SELECT partner_id, currency, NULL, amount_cents FROM payouts
        WHERE ${selected} AND status = 'pending'
      UNION ALL ${sql.join(excluded, sql` UNION ALL `)}) AS amounts
    GROUP BY partner_id, currency HAVING COUNT(balance_cents) > 0 ORDER BY partner_id, currency`.execute(db);
  const requestedIds = hasManyIds ? new Set(partnerIds) : null;
  const requested = rows.filter((row) => requestedIds?.has(row.partner_id) ?? true);
  return requested.map((row) => ({
    partnerId: row.partner_id,
    currency: row.currency,
    balanceCents: Number(row.balance_cents),
    payableCents: Number(row.balance_cents) - Number(row.taken_cents),
  }));

  /**
   * Selects the amounts whose hold ends after `at`. For later days, they are read from `held_totals`. For the rest of
   * the current day, they are read from the commissions.
   */
  function heldAmounts(at: number): RawBuilder<unknown>[] {
    const day = utcDay(at);
    return [
      sql`SELECT partner_id, currency, NULL, SUM(cents) FROM held_totals
        WHERE ${selected} AND release_day > ${day} GROUP BY partner_id, currency`,
      sql`${open} AND approved_at IS NULL AND disputed = 0 AND needs_approval = 0
        AND releasable_at > ${at} AND releasable_at < ${(day + 1) * DAY_MS}`,
    ];
  }
}

interface BalanceRow {
  readonly partner_id: number;
  readonly currency: string;
  readonly balance_cents: number;
  readonly taken_cents: number;
}
