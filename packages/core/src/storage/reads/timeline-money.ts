import { type Kysely, type Selectable, sql } from 'kysely';
import type { PolicyCandidate } from '../../domain/commission.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { toTerms } from '../money/policies.ts';
import type { CustomerRow } from '../tracking/customers.ts';
import { rowCreatedAt, type TraceListReader } from './trace-list-reader.ts';

/**
 * The rows about money for the sales of a customer, such as commissions and refunds. Rows that have an `id` are sorted
 * by it.
 */
export interface MoneyTimeline {
  readonly commissions: readonly Selectable<Schema['commissions']>[];
  readonly refunds: readonly Selectable<Schema['refunds']>[];
  /** Refunds of sales without an active commission. */
  readonly refundsWithoutCommission: readonly Selectable<Schema['kept_refunds']>[];
  readonly adjustments: readonly Selectable<Schema['adjustments']>[];
  readonly payouts: readonly Selectable<Schema['payouts']>[];
  /** The commissions that were part of a payout when it was cancelled. */
  readonly cancelled: readonly Selectable<Schema['cancelled_payout_commissions']>[];
  /** Ledger entries with the scope `partner_program`. */
  readonly entries: readonly Selectable<Schema['ledger_entries']>[];
  /** Outbox rows of commissions that have not been created yet. */
  readonly owed: readonly Pick<Selectable<Schema['outbox']>, 'subject_id' | 'attempts' | 'run_at'>[];
}

/** @param saleIds the ids of the customer's sales */
export async function findMoneyTimeline(
  db: Kysely<Schema>,
  lists: TraceListReader,
  customer: CustomerRow,
  saleIds: readonly number[],
): Promise<MoneyTimeline> {
  const programId = customer.program_id;
  const commissions = await db
    .selectFrom('commissions')
    .selectAll()
    .where('program_id', '=', programId)
    .where('customer_id', '=', customer.id)
    .where('sale_id', 'in', idList(saleIds))
    .orderBy('id')
    .execute();
  const commissionIds = idList(commissions.map((commission) => commission.id));
  const cancelled = await lists.read(
    'cancelled payouts',
    (order, limit) =>
      db
        .selectFrom('cancelled_payout_commissions')
        .selectAll()
        .where('program_id', '=', programId)
        .where('commission_id', 'in', commissionIds)
        .orderBy('payout_id', order)
        .orderBy('commission_id', order)
        .limit(limit)
        .execute(),
    () => 0,
  );
  const payoutIds = idList([...commissions, ...cancelled].flatMap(({ payout_id }) => payout_id ?? []));
  const [refunds, refundsWithoutCommission, adjustments, payouts, entries, owed] = await Promise.all([
    lists.read(
      'refunds',
      (order, limit) =>
        db
          .selectFrom('refunds')
          .selectAll()
          .where('program_id', '=', programId)
          .where('commission_id', 'in', commissionIds)
          .orderBy('id', order)
          .limit(limit)
          .execute(),
      rowCreatedAt,
    ),
    lists.read(
      'refunds without a commission',
      (order, limit) =>
        db
          .selectFrom('kept_refunds')
          .selectAll()
          .where('program_id', '=', programId)
          .where('sale_id', 'in', idList(saleIds))
          .orderBy('id', order)
          .limit(limit)
          .execute(),
      rowCreatedAt,
    ),
    lists.read(
      'corrections',
      (order, limit) =>
        db
          .selectFrom('adjustments')
          .selectAll()
          .where('program_id', '=', programId)
          .where('commission_id', 'in', commissionIds)
          .orderBy('id', order)
          .limit(limit)
          .execute(),
      rowCreatedAt,
    ),
    db
      .selectFrom('payouts')
      .selectAll()
      .where('program_id', '=', programId)
      .where('id', 'in', payoutIds)
      .orderBy('id')
      .execute(),
    lists.read(
      'ledger entries',
      (order, limit) =>
        db
          .selectFrom('ledger_entries')
          .selectAll()
          .where('program_id', '=', programId)
          .where('scope', '=', 'partner_program')
          .where('commission_id', 'in', commissionIds)
          .orderBy('id', order)
          .limit(limit)
          .execute(),
      rowCreatedAt,
    ),
    db
      .selectFrom('outbox')
      .select(['subject_id', 'attempts', 'run_at'])
      .where('program_id', '=', programId)
      .where('kind', '=', 'make_commission')
      .where('subject_id', 'in', idList(saleIds))
      .execute(),
  ]);
  return { commissions, refunds, refundsWithoutCommission, adjustments, payouts, cancelled, entries, owed };
}

/** A version of a policy, and the period in which it was active. */
export interface PolicyVersion extends PolicyCandidate {
  readonly policyId: number;
  readonly version: number;
  readonly from: number;
  /** Null while the version is still active. */
  readonly until: number | null;
}

/** Lists all versions of all policies of a program, sorted by id. Deleted policies are included. */
export async function listPolicyVersions(db: Kysely<Schema>, programId: number): Promise<PolicyVersion[]> {
  const rows = await db
    .selectFrom('policy_versions as version')
    .innerJoin('policies as policy', (join) =>
      join.onRef('policy.program_id', '=', 'version.program_id').onRef('policy.id', '=', 'version.policy_id'),
    )
    .leftJoin('policy_versions as next', (join) =>
      join
        .onRef('next.program_id', '=', 'version.program_id')
        .onRef('next.policy_id', '=', 'version.policy_id')
        .on('next.version', '=', sql`version.version + 1`),
    )
    .selectAll('version')
    .select(['policy.product_id', 'policy.partner_id', 'policy.deleted_at', 'next.created_at as next_at'])
    .where('version.program_id', '=', programId)
    .orderBy('version.id')
    .execute();
  return rows.map((row) => ({
    policyId: row.policy_id,
    version: row.version,
    versionId: row.id,
    ...toTerms(row),
    productId: row.product_id,
    partnerId: row.partner_id,
    from: row.created_at,
    until: row.next_at ?? row.deleted_at,
  }));
}
