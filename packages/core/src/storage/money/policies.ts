import type { Kysely, Selectable } from 'kysely';
import type { PolicyTerms } from '../../domain/commission.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** A policy in force, in its present version. Without product and partner it is the program's default. */
export interface Policy extends PolicyTerms {
  readonly id: number;
  readonly programId: number;
  readonly productId: string | null;
  readonly partnerId: number | null;
  readonly version: number;
  readonly createdAt: number;
}

/** Adds a policy in version 1. @returns null when one for the same product and partner is in force */
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

/** The program's policies in force, the default first. */
export async function listPolicies(
  db: Kysely<Schema>,
  programId: number,
  range: { readonly offset: number; readonly limit: number },
): Promise<{ policies: Policy[]; total: number }> {
  const { total } = await db
    .selectFrom('policies')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('program_id', '=', programId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const rows = await inForce(db, programId)
    .orderBy('policies.id')
    .limit(range.limit)
    .offset(range.offset)
    .execute();
  return { policies: rows.map(toPolicy), total };
}

/** The policy in force of that id, locked until the work ends. */
export async function lockPolicy(
  tx: Transaction,
  programId: number,
  policyId: number,
): Promise<Policy | null> {
  // Locked by a statement of its own: one with a join would look for the version of before the wait.
  if (tx.dialect === 'postgres') {
    await tx.db
      .selectFrom('policies')
      .select('id')
      .where('program_id', '=', programId)
      .where('id', '=', policyId)
      .forUpdate()
      .execute();
  }
  const row = await inForce(tx.db, programId).where('policies.id', '=', policyId).executeTakeFirst();
  return row ? toPolicy(row) : null;
}

/** Gives a locked policy new terms, as its next version. Commissions keep the version that made them. */
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

/** Takes a locked policy out of force. */
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

function inForce(db: Kysely<Schema>, programId: number) {
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
    .where('policies.program_id', '=', programId)
    .where('policies.deleted_at', 'is', null);
}

type PolicyRow = Awaited<ReturnType<ReturnType<typeof inForce>['executeTakeFirstOrThrow']>>;

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

/** What a stored version says of its terms. */
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
