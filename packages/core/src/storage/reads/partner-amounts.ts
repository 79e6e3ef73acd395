import { type Kysely, type RawBuilder, sql } from 'kysely';
import { DAY_MS, utcDay } from '../../domain/calendar.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { findPayable } from '../money/payable.ts';

/** The amounts that a partner is owed and was paid in a program, in one currency. */
export interface PartnerAmounts {
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

interface AmountRow {
  readonly partner_id: number;
  readonly currency: string;
  readonly kind: 'pending' | 'on_hold' | 'in_payout' | 'paid';
  readonly cents: number;
  /** UTC day on which the hold ends; `NEVER` for commissions that need an approval. Null for other amounts. */
  readonly release_day: number | null;
}

const OPEN_CENTS = sql`amount_cents - deducted_cents + adjusted_cents`;

/** The release day in `held_totals` of commissions that are payable only after an approval. */
const NEVER = 2_147_483_647;

/**
 * Reads the amounts of the partners in a program, ordered by partner and currency. Holds are read from daily totals. The
 * cost therefore depends on the number of disputes and payouts, but not on the number of commissions.
 */
export async function listPartnerAmounts(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[],
  now: number,
): Promise<PartnerAmounts[]> {
  const payable = await findPayable(db, { programId, partnerIds }, now);
  const today = utcDay(now);
  const selected = sql`program_id = ${programId} AND partner_id IN (${sql.join(idList(partnerIds))})`;
  const held = (day: number) => sql`${selected} AND ${heldOn(day, now)}`;
  // Do not group the disputed commissions. Otherwise, SQLite would choose the index of all unpaid commissions.
  const { rows } = await sql<AmountRow>`
    SELECT partner_id, currency, CASE release_day WHEN ${NEVER} THEN 'pending' ELSE 'on_hold' END AS kind, cents,
        release_day FROM held_totals
      WHERE ${selected} AND release_day > ${today} AND cents <> 0
    UNION ALL SELECT partner_id, currency, 'on_hold', SUM(${OPEN_CENTS}), MIN(releasable_at) / ${sql.lit(DAY_MS)}
      FROM commissions WHERE ${held(today)} GROUP BY partner_id, currency
    UNION ALL SELECT partner_id, currency, 'pending', ${OPEN_CENTS}, NULL FROM commissions
      WHERE ${selected} AND payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL AND disputed = 1
    UNION ALL SELECT partner_id, currency, CASE status WHEN 'paid' THEN 'paid' ELSE 'in_payout' END,
        SUM(amount_cents), NULL FROM payouts
      WHERE ${selected} AND status IN ('pending', 'paid') GROUP BY partner_id, currency, status`.execute(db);
  const amounts = payable.map(({ partnerId, currency, balanceCents, payableCents }) => {
    const own = rows.filter((row) => row.partner_id === partnerId && row.currency === currency);
    const sumOf = (kind: AmountRow['kind']) =>
      own.reduce((sum, row) => sum + (row.kind === kind ? Number(row.cents) : 0), 0);
    const days = own.flatMap(({ kind, release_day }) => (kind === 'on_hold' ? [Number(release_day)] : []));
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
      releaseDay: days.length === 0 ? null : Math.min(...days),
    };
  });
  const releases = new Map<number, readonly ReleaseRow[]>();
  for (const { releaseDay: day } of amounts) {
    if (day === null || releases.has(day)) continue;
    const found =
      await sql<ReleaseRow>`SELECT partner_id, currency, MIN(releasable_at) AS release_at FROM commissions
      WHERE ${held(day)} GROUP BY partner_id, currency`.execute(db);
    releases.set(day, found.rows);
  }
  return amounts.map(({ releaseDay, ...amount }) => {
    const release = releases
      .get(releaseDay ?? NEVER)
      ?.find((row) => row.partner_id === amount.partnerId && row.currency === amount.currency);
    return { ...amount, nextReleaseAt: release === undefined ? null : Number(release.release_at) };
  });
}

interface ReleaseRow {
  readonly partner_id: number;
  readonly currency: string;
  readonly release_at: number;
}

/** The commissions whose hold ends on the UTC day, but not before `now`. */
function heldOn(day: number, now: number): RawBuilder<unknown> {
  const from = Math.max(now, day * DAY_MS - 1);
  return sql`payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL AND approved_at IS NULL AND disputed = 0
    AND needs_approval = 0 AND releasable_at > ${from} AND releasable_at < ${(day + 1) * DAY_MS}
    AND ${OPEN_CENTS} <> 0`;
}
