import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { PolicyCandidate } from '../../domain/commission.ts';
import type { CommissionPart } from '../../domain/commission-parts.ts';
import { isSubscription } from '../../domain/processor-ref.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { insertRows, type Row } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import { withoutIndex } from '../database/without-index.ts';
import { toTerms } from './policies.ts';

export type CommissionRow = Selectable<Schema['commissions']>;

/** The name of a commission's column, without the name of the table. */
export type WithoutTable<T> = T extends `commissions.${infer Column}` ? Column : never;

/** A subscription's first commission, which determines the terms of the renewals. */
export interface FirstCommission {
  readonly id: number;
  readonly commissionAt: number;
  /**
   * The terms of the commission. If the commission has several parts, these are the terms of the part with the largest
   * base amount.
   */
  readonly terms: PolicyCandidate;
  /** Returns the terms for a product. Products that are not in the first sale get `terms`. */
  readonly termsOf: (productId: string | null) => PolicyCandidate;
}

/**
 * Loads the current versions of the programs' active policies.
 * @returns a function that returns the policies of one program
 */
export async function listPolicyCandidates(
  db: Kysely<Schema>,
  programIds: readonly number[],
): Promise<(programId: number) => PolicyCandidate[]> {
  const ids = [...new Set(programIds)].sort((a, b) => a - b);
  const rows =
    ids.length === 0
      ? []
      : await policyVersions(db)
          .select('policies.program_id')
          .where('policies.program_id', 'in', ids)
          .where('policies.deleted_at', 'is', null)
          .whereRef('policy_versions.version', '=', 'policies.version')
          .execute();
  return (programId) => rows.filter((row) => row.program_id === programId).map(toCandidate);
}

/**
 * Finds the earliest commission of a customer's subscription, with its policy terms. Ignores rejected commissions. A
 * sale belongs to the subscription if the sale request named the subscription, or if a webhook event connected the
 * sale's payment with the subscription.
 * @param asOf finds only commissions that existed at this time and were not rejected then; null means now
 * @param upTo finds only commissions of sales up to this time; null means no limit
 */
export async function findFirstCommission(
  db: Kysely<Schema>,
  { id: programId, workspaceId }: { readonly id: number; readonly workspaceId: number },
  customerId: number,
  subscriptionId: string,
  { asOf, upTo }: { readonly asOf: number | null; readonly upTo: number | null },
): Promise<FirstCommission | null> {
  const isNotLater = upTo === null ? sql`` : sql`AND ${withoutIndex('commissions.commission_at')} <= ${upTo}`;
  const isActive =
    asOf === null
      ? sql<boolean>`commissions.rejected_at IS NULL ${isNotLater}`
      : sql<boolean>`(commissions.rejected_at IS NULL OR commissions.rejected_at > ${asOf})
          AND commissions.created_at <= ${asOf} ${isNotLater}`;
  const earned = db
    .selectFrom('commissions')
    .select(TERM_COLUMNS)
    .where('commissions.program_id', '=', programId)
    .where('customer_id', '=', customerId)
    .where(isActive);
  const named = await earned
    .where('subscription_id', '=', subscriptionId)
    .orderBy(withoutIndex('commission_at'))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  // A webhook event connects a payment with a subscription by the subscription's Stripe id, which begins with `sub_`.
  // For any other id, there can be no such connection, so the lookup is skipped.
  const linkedSale = isSubscription(subscriptionId)
    ? await db
        .selectFrom('processor_refs')
        .select('sale_id')
        .where('workspace_id', '=', workspaceId)
        .where('ref', '=', subscriptionId)
        .where('program_id', '=', programId)
        .executeTakeFirst()
    : undefined;
  const linked = linkedSale && (await earned.where('sale_id', '=', linkedSale.sale_id).executeTakeFirst());
  const isLinkedFirst = linked && (!named || linked.commission_at < named.commission_at);
  const first = isLinkedFirst
    ? linked
    : (named ??
      (await findMergedCommission(db, { workspaceId, programId, customerId, subscriptionId }, isActive)));
  return first ? await loadRenewalTerms(db, programId, first) : null;
}

/**
 * Finds the earliest commission of a partner and customer that was imported from another affiliate service, with its
 * policy terms. In the other service, the customer may have had several partners, whose terms may differ. Ignores
 * rejected commissions. Also ignores commissions whose subscription is known, because `findFirstCommission` finds them,
 * and other subscriptions do not renew them.
 * @param upTo finds only commissions of sales up to this time
 */
export async function findImportedCommission(
  db: Kysely<Schema>,
  programId: number,
  {
    customerId,
    partnerId,
    upTo,
  }: { readonly customerId: number; readonly partnerId: number; readonly upTo: number },
): Promise<FirstCommission | null> {
  const imported = await db
    .selectFrom('trace_notes')
    .innerJoin('commissions', (join) =>
      join
        .onRef('commissions.program_id', '=', 'trace_notes.program_id')
        .onRef('commissions.sale_id', '=', 'trace_notes.sale_id'),
    )
    .select(TERM_COLUMNS)
    .where('trace_notes.program_id', '=', programId)
    .where('trace_notes.customer_id', '=', customerId)
    .where('trace_notes.reason', '=', 'sale_imported')
    .where('commissions.partner_id', '=', partnerId)
    .where('commissions.subscription_id', 'is', null)
    .where('commissions.rejected_at', 'is', null)
    .where(withoutIndex('commissions.commission_at'), '<=', upTo)
    .orderBy(withoutIndex('commissions.commission_at'))
    .orderBy('commissions.id')
    .limit(1)
    .executeTakeFirst();
  return imported ? await loadRenewalTerms(db, programId, imported) : null;
}

async function loadRenewalTerms(
  db: Kysely<Schema>,
  programId: number,
  first: CommissionTerms,
): Promise<FirstCommission> {
  const origin = await findOrigin(db, programId, first);
  const { policy_version_id: policyVersionId, parts: storedParts } = origin;
  const parts = readParts(storedParts);
  const versionIds = [policyVersionId, ...parts.map((part) => part.policyVersionId)];
  const versions = await policyVersions(db)
    .where('policy_versions.program_id', '=', programId)
    .where('policy_versions.id', 'in', [...new Set(versionIds)])
    .execute();
  // A search by subscription does not find an origin that has another subscription or none, such as an imported
  // commission.
  const isKnown = origin.subscription_id === first.subscription_id;
  const start = isKnown || origin.rejected_at !== null ? first : origin;
  const { id, commission_at: commissionAt } = start;
  return deriveRenewalTerms({ id, commissionAt, policyVersionId, parts }, versions.map(toCandidate));
}

const TERM_COLUMNS = [
  'commissions.id',
  'commissions.commission_at',
  'commissions.policy_version_id',
  'commissions.parts',
  'commissions.first_commission_id',
  'commissions.subscription_id',
  'commissions.rejected_at',
] as const;

type CommissionTerms = Pick<CommissionRow, WithoutTable<(typeof TERM_COLUMNS)[number]>>;

/**
 * Follows `first_commission_id` to the commission of the first payment. Its terms apply to all renewals. If it was
 * rejected, the caller has found the commission of a renewal as `first`. The parts of a renewal's commission cannot
 * replace the original parts, because they omit products that earned nothing.
 */
async function findOrigin(
  db: Kysely<Schema>,
  programId: number,
  first: CommissionTerms,
): Promise<CommissionTerms> {
  let origin = first;
  while (origin.first_commission_id !== null) {
    origin = await db
      .selectFrom('commissions')
      .select(TERM_COLUMNS)
      .where('program_id', '=', programId)
      .where('id', '=', origin.first_commission_id)
      .executeTakeFirstOrThrow();
  }
  return origin;
}

/**
 * Derives the terms of a subscription's renewals from its first commission.
 * @param versions the policy versions that the commission was computed with
 */
export function deriveRenewalTerms(
  {
    id,
    commissionAt,
    policyVersionId,
    parts,
  }: {
    readonly id: number;
    readonly commissionAt: number;
    readonly policyVersionId: number;
    readonly parts: readonly CommissionPart[];
  },
  versions: readonly PolicyCandidate[],
): FirstCommission {
  const byId = new Map(versions.map((version) => [version.versionId, version]));
  const terms = byId.get(policyVersionId);
  if (!terms) throw new Error(`Policy version ${policyVersionId} of commission ${id} does not exist`);
  const termsOf = (productId: string | null) => {
    const part = parts.find(({ productIds }) => productIds.includes(productId));
    return (part && byId.get(part.policyVersionId)) ?? terms;
  };
  return { id, commissionAt, terms, termsOf };
}

/** Reads the stored parts of a commission. @returns an empty list when one policy covers the whole sale */
export function readParts(parts: string | null): CommissionPart[] {
  return parts === null ? [] : (JSON.parse(parts) as CommissionPart[]);
}

interface SubscriptionKey {
  readonly workspaceId: number;
  readonly programId: number;
  readonly customerId: number;
  readonly subscriptionId: string;
}

/**
 * Finds the subscription's commission in a special case: the same payment was recorded as two sales, and only the
 * duplicate sale names the subscription. When the two sales were merged, the commission of the duplicate was rejected.
 * The valid commission belongs to the other sale, which got the payment ids of the duplicate. Payment ids and
 * commissions are read in separate queries, because Citus stores them on different servers. Usually, the first query
 * finds no rejected commission, and the other queries are skipped.
 */
async function findMergedCommission(
  db: Kysely<Schema>,
  { workspaceId, programId, customerId, subscriptionId }: SubscriptionKey,
  isActive: RawBuilder<boolean>,
) {
  const duplicates = await db
    .selectFrom('commissions')
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'commissions.program_id')
        .onRef('sales.id', '=', 'commissions.sale_id'),
    )
    .select('sales.processor_event_id as ref')
    .where('commissions.program_id', '=', programId)
    .where('commissions.customer_id', '=', customerId)
    .where('commissions.subscription_id', '=', subscriptionId)
    .where('commissions.rejected_at', 'is not', null)
    .execute();
  if (duplicates.length === 0) return undefined;
  const merged = await db
    .selectFrom('processor_refs')
    .select('sale_id')
    .where('workspace_id', '=', workspaceId)
    .where(
      'ref',
      'in',
      duplicates.map(({ ref }) => ref),
    )
    .where('program_id', '=', programId)
    .execute();
  if (merged.length === 0) return undefined;
  return await db
    .selectFrom('commissions')
    .select(TERM_COLUMNS)
    .where('commissions.program_id', '=', programId)
    .where(
      'commissions.sale_id',
      'in',
      merged.map((row) => row.sale_id),
    )
    .where(withoutIndex('commissions.customer_id'), '=', customerId)
    .where(isActive)
    .orderBy(withoutIndex('commissions.commission_at'))
    .orderBy('commissions.id')
    .limit(1)
    .executeTakeFirst();
}

/** Finds the commission of a sale and locks its row until the transaction ends. */
export async function lockCommissionOfSale(
  tx: Transaction,
  programId: number,
  saleId: number,
): Promise<CommissionRow | null> {
  const row = await tx.db
    .selectFrom('commissions')
    .selectAll()
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** Stores commissions, at most one per sale. @returns the ids of the commissions, by sale id */
export async function insertCommissions(
  tx: Transaction,
  commissions: readonly (Row & { readonly sale_id: number })[],
): Promise<ReadonlyMap<number, number>> {
  const inserted = await insertRows<{ id: number; sale_id: number }>(
    tx,
    'commissions',
    commissions,
    sql`RETURNING id, sale_id`,
  );
  return new Map(inserted.map((row) => [row.sale_id, row.id]));
}

export async function updateCommission(
  tx: Transaction,
  commission: Pick<CommissionRow, 'program_id' | 'id'>,
  change: Partial<Omit<CommissionRow, 'program_id' | 'id'>>,
): Promise<void> {
  await tx.db
    .updateTable('commissions')
    .set(change)
    .where('program_id', '=', commission.program_id)
    .where('id', '=', commission.id)
    .execute();
}

function policyVersions(db: Kysely<Schema>) {
  return db
    .selectFrom('policy_versions')
    .innerJoin('policies', (join) =>
      join
        .onRef('policies.program_id', '=', 'policy_versions.program_id')
        .onRef('policies.id', '=', 'policy_versions.policy_id'),
    )
    .select([
      'policy_versions.id',
      'policy_versions.type',
      'policy_versions.rate_bps',
      'policy_versions.amount_cents',
      'policy_versions.recurring_months',
      'policies.product_id',
      'policies.partner_id',
    ]);
}

function toCandidate(
  row: Parameters<typeof toTerms>[0] & {
    readonly id: number;
    readonly product_id: string | null;
    readonly partner_id: number | null;
  },
): PolicyCandidate {
  return { versionId: row.id, productId: row.product_id, partnerId: row.partner_id, ...toTerms(row) };
}
