import type { CommissionTerms, createPolicyRequest, updatePolicyRequest } from '@affkit/protocol';
import type { z } from 'zod';
import type { PolicyTerms } from '../domain/commission.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import {
  addPolicyVersion,
  insertPolicy,
  lockPolicy,
  type Policy,
  softDeletePolicy,
} from '../storage/money/policies.ts';
import { findEnrolledPartner } from '../storage/programs/partners.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';

export type NewPolicy = z.output<typeof createPolicyRequest>;
export type PolicyChange = z.output<typeof updatePolicyRequest>;

/**
 * Adds a policy for a product, for a partner, or for both. Each combination has at most one policy.
 */
export function createPolicy(
  runtime: Runtime,
  program: ProgramAccount,
  input: NewPolicy,
): Promise<Policy | Rejection> {
  const { product_id: productId = null, partner_id: partnerId = null } = input;
  return transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('program_not_found');
    if (partnerId !== null && !(await findEnrolledPartner(tx.db, program.id, partnerId))) {
      return new Rejection('invalid_field', 'partner_id must be a partner of the program');
    }
    const target = { programId: program.id, productId, partnerId };
    const policy = await insertPolicy(tx, target, toPolicyTerms(input), runtime.now());
    if (!policy) {
      return new Rejection(
        'conflict',
        'The program already has a policy for this product and partner. Change that policy.',
      );
    }
    await recordPolicy(tx, runtime, program, null, policy);
    return policy;
  });
}

/**
 * Changes the terms of a policy by adding a new version. Fields that are missing in the input keep their
 * values. Existing commissions keep their version. If nothing changes, no version is added.
 */
export function changePolicy(
  runtime: Runtime,
  program: ProgramAccount,
  policyId: number,
  input: PolicyChange,
): Promise<Policy | Rejection> {
  return transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    const policy = await lockPolicy(tx, program.id, policyId);
    if (!policy) return new Rejection('not_found');
    const terms = changedTerms(policy, input);
    if (isRejection(terms) || isSameTerms(policy, terms)) return isRejection(terms) ? terms : policy;
    const changed = await addPolicyVersion(tx, policy, terms, runtime.now());
    await recordPolicy(tx, runtime, program, policy, changed);
    return changed;
  });
}

/** Deletes a policy, so that new sales no longer use it. The program's default policy cannot be deleted. */
export function deletePolicy(
  runtime: Runtime,
  program: ProgramAccount,
  policyId: number,
): Promise<Policy | Rejection> {
  return transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    const policy = await lockPolicy(tx, program.id, policyId);
    if (!policy) return new Rejection('not_found');
    if (isDefaultPolicy(policy)) {
      return new Rejection(
        'conflict',
        'The default policy of a program cannot be deleted. Change its terms instead.',
      );
    }
    await softDeletePolicy(tx, policy, runtime.now());
    await recordPolicy(tx, runtime, program, policy, null);
    return policy;
  });
}

export function isDefaultPolicy(policy: Policy): boolean {
  return policy.productId === null && policy.partnerId === null;
}

/**
 * Converts the terms of a request to the stored form. The rate becomes basis points, and missing terms become
 * null.
 */
export function toPolicyTerms(
  input: CommissionTerms & { readonly recurring_months?: number | null | undefined },
): PolicyTerms {
  const recurringMonths = input.recurring_months ?? null;
  return input.type === 'percent'
    ? { type: 'percent', rateBps: Math.round(input.rate * 100), amountCents: null, recurringMonths }
    : { type: 'flat', rateBps: null, amountCents: input.amount_cents, recurringMonths };
}

function changedTerms(before: PolicyTerms, input: PolicyChange): PolicyTerms | Rejection {
  const { type = before.type, rate, amount_cents: amountCents, recurring_months: months } = input;
  const recurringMonths = months === undefined ? before.recurringMonths : months;
  const isPercent = type === 'percent';
  const setsOtherType = isPercent ? amountCents !== undefined : rate !== undefined;
  if (setsOtherType) {
    const [otherField, otherType] = isPercent ? ['amount_cents', 'flat'] : ['rate', 'percent'];
    return new Rejection(
      'invalid_field',
      input.type === undefined
        ? `type must be ${otherType} to set ${otherField}`
        : `${otherField} is not allowed when type is ${type}`,
    );
  }
  if (isPercent) {
    const rateBps = rate === undefined ? before.rateBps : Math.round(rate * 100);
    if (rateBps === null) return new Rejection('invalid_field', 'rate is required when type is percent');
    return { type, rateBps, amountCents: null, recurringMonths };
  }
  const amount = amountCents ?? before.amountCents;
  if (amount === null) return new Rejection('invalid_field', 'amount_cents is required when type is flat');
  return { type, rateBps: null, amountCents: amount, recurringMonths };
}

function isSameTerms(one: PolicyTerms, other: PolicyTerms): boolean {
  return (
    one.type === other.type &&
    one.rateBps === other.rateBps &&
    one.amountCents === other.amountCents &&
    one.recurringMonths === other.recurringMonths
  );
}

function recordPolicy(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  before: Policy | null,
  after: Policy | null,
): Promise<void> {
  const stateOf = (policy: Policy) => ({
    type: policy.type,
    rate: policy.rateBps === null ? null : policy.rateBps / 100,
    amount_cents: policy.amountCents,
    product_id: policy.productId,
    partner_id: policy.partnerId,
    recurring_months: policy.recurringMonths,
    version: policy.version,
  });
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  return recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: `policy.${verb}`,
    subjectId: (after ?? before)?.id ?? 0,
    before: before && stateOf(before),
    after: after && stateOf(after),
  });
}
