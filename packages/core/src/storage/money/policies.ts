import type { Kysely, Selectable } from 'kysely';
import type { PolicyTerms } from '../../domain/commission.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

/** The current version of an active policy. A policy without product and partner is the program's default. */
export interface Policy extends PolicyTerms {
  readonly id: number;
  readonly programId: number;
  readonly productId: string | null;
  readonly partnerId: number | null;
  readonly version: number;
  readonly createdAt: number;
}

/**
 * Stores a policy with version 1.
 * @returns null when an active policy exists for the same product and partner
 */
export async function insertPolicy(
  tx: Transaction,
  target: Pick<Policy, 'programId' | 'productId' | 'partnerId'>,
  terms: PolicyTerms,
  at: number,
): Promise<Policy | null> {
  const row = await tx.db
    .insertInto('policies')
    .values({
      program_id: target.programId,
      product_id: target.productId,
      partner_id: target.partnerId,
      version: 1,
      created_at: at,
      deleted_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row) return null;
  const policy = { ...target, id: row.id, version: 1 };
  await insertVersion(tx, policy, terms, at);
  return { ...policy, ...terms, createdAt: at };
}

/** Loads active policies in the order of `ids`. */
export async function findPolicies(
  db: Kysely<Schema>,
  programId: number,
  ids: readonly number[],
): Promise<Policy[]> {
  const rows = await activePolicies(db, programId).where('policies.id', 'in', idList(ids)).execute();
  const byId = new Map(rows.map((row) => [row.id, toPolicy(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Finds the program's default policy, which cannot be deleted. */
export async function findDefaultPolicy(db: Kysely<Schema>, programId: number): Promise<Policy> {
  const row = await activePolicies(db, programId)
    .where('policies.product_id', 'is', null)
    .where('policies.partner_id', 'is', null)
    .executeTakeFirstOrThrow();
  return toPolicy(row);
}

/** Lists the active policies that apply to any of these partners in any of the programs, oldest first. */
export async function listPoliciesOfPartners(
  db: Kysely<Schema>,
  programIds: readonly number[],
  partnerIds: readonly number[],
): Promise<Policy[]> {
  const rows = await activePolicies(db)
    .where('policies.program_id', 'in', idList(programIds))
    .where((where) =>
      where.or([
        where('policies.partner_id', 'is', null),
        where('policies.partner_id', 'in', idList(partnerIds)),
      ]),
    )
    .orderBy('policies.id')
    .execute();
  return rows.map(toPolicy);
}

/** Whether an active policy of the program is limited to a product. */
export async function hasProductPolicies(db: Kysely<Schema>, programId: number): Promise<boolean> {
  const row = await db
    .selectFrom('policies')
    .select('id')
    .where('program_id', '=', programId)
    .where('deleted_at', 'is', null)
    .where('product_id', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Finds an active policy and locks its row until the transaction ends. */
export async function lockPolicy(
  tx: Transaction,
  programId: number,
  policyId: number,
): Promise<Policy | null> {
  // Take the lock in a separate statement. If a single statement locked the policy and joined its version, it might
  // have to wait for the lock. It would then not see a version that was added during the wait.
  if (tx.dialect === 'postgres') {
    await tx.db
      .selectFrom('policies')
      .select('id')
      .where('program_id', '=', programId)
      .where('id', '=', policyId)
      .forUpdate()
      .execute();
  }
  const row = await activePolicies(tx.db, programId).where('policies.id', '=', policyId).executeTakeFirst();
  return row ? toPolicy(row) : null;
}

/** Adds a version with new terms to a locked policy. Existing commissions keep their version. */
export async function addPolicyVersion(
  tx: Transaction,
  policy: Policy,
  terms: PolicyTerms,
  at: number,
): Promise<Policy> {
  const next = { ...policy, ...terms, version: policy.version + 1 };
  await tx.db
    .updateTable('policies')
    .set({ version: next.version })
    .where('program_id', '=', policy.programId)
    .where('id', '=', policy.id)
    .execute();
  await insertVersion(tx, next, terms, at);
  return next;
}

/** Marks a locked policy as deleted. */
export async function softDeletePolicy(tx: Transaction, policy: Policy, at: number): Promise<void> {
  await tx.db
    .updateTable('policies')
    .set({ deleted_at: at })
    .where('program_id', '=', policy.programId)
    .where('id', '=', policy.id)
    .execute();
}

async function insertVersion(
  tx: Transaction,
  policy: Pick<Policy, 'programId' | 'id' | 'version'>,
  terms: PolicyTerms,
  at: number,
): Promise<void> {
  await tx.db
    .insertInto('policy_versions')
    .values({
      program_id: policy.programId,
      policy_id: policy.id,
      version: policy.version,
      type: terms.type,
      rate_bps: terms.rateBps,
      amount_cents: terms.amountCents,
      recurring_months: terms.recurringMonths,
      created_at: at,
    })
    .execute();
}

function activePolicies(db: Kysely<Schema>, programId?: number) {
  return db
    .selectFrom('policies')
    .innerJoin('policy_versions', (join) =>
      join
        .onRef('policy_versions.program_id', '=', 'policies.program_id')
        .onRef('policy_versions.policy_id', '=', 'policies.id')
        .onRef('policy_versions.version', '=', 'policies.version'),
    )
    .select([
      'policies.id',
      'policies.program_id',
      'policies.product_id',
      'policies.partner_id',
      'policies.version',
      'policies.created_at',
      'policy_versions.type',
      'policy_versions.rate_bps',
      'policy_versions.amount_cents',
      'policy_versions.recurring_months',
    ])
    .$if(programId !== undefined, (query) => query.where('policies.program_id', '=', programId ?? 0))
    .where('policies.deleted_at', 'is', null);
}

type PolicyRow = Awaited<ReturnType<ReturnType<typeof activePolicies>['executeTakeFirstOrThrow']>>;

function toPolicy(row: PolicyRow): Policy {
  return {
    id: row.id,
    programId: row.program_id,
    productId: row.product_id,
    partnerId: row.partner_id,
    version: row.version,
    createdAt: row.created_at,
    ...toTerms(row),
  };
}

export function toTerms(
  row: Pick<Selectable<Schema['policy_versions']>, 'type' | 'rate_bps' | 'amount_cents' | 'recurring_months'>,
): PolicyTerms {
  return {
    type: row.type,
    rateBps: row.rate_bps,
    amountCents: row.amount_cents,
    recurringMonths: row.recurring_months,
  };
}
