import { hash } from 'node:crypto';
import type { ErrorCode } from '@affkit/protocol';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { rollbackStepWhen } from '../storage/database/rollback-when.ts';
import {
  type BulkKey,
  claimBulkKey,
  findBulkResult,
  insertBulkResult,
} from '../storage/programs/bulk-requests.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { type ReviewAction, reviewCommission } from './commissions.ts';
import { changePartnerIn } from './partners.ts';
import { markPayoutPaidIn, type Payment } from './payouts.ts';
import { writeEach } from './write-each.ts';

/** The result for one row: its new status, or the reason why it was not changed. Stored as JSON. */
export type BulkResult =
  | { readonly id: number; readonly ok: true; readonly status: string }
  | { readonly id: number; readonly ok: false; readonly code: ErrorCode; readonly error: string };

/** Identifies a request, so that a repeated request returns the results of the first request. */
interface BulkRequestIdentity {
  readonly key: string | undefined;
  /** The content of the request. The same key must not be used for different content. */
  readonly content: readonly unknown[];
}

const STATUS_AFTER = { approve: 'approved', reject: 'rejected', ban: 'banned' } as const;

export type PartnerAction = keyof typeof STATUS_AFTER;

/** Approves or rejects each of the commissions. */
export function reviewCommissions(
  runtime: Runtime,
  program: ProgramAccount,
  ids: readonly number[],
  action: ReviewAction,
  key: string | undefined,
): Promise<BulkResult[] | Rejection> {
  const identity = { key, content: ['commission', action, ids] };
  return runBulk(runtime, program, identity, ids, (tx, id) =>
    reviewCommission(tx, runtime, program, id, action),
  );
}

/** Sets the status of each partner in the program. */
export function changePartners(
  runtime: Runtime,
  program: ProgramAccount,
  ids: readonly number[],
  action: PartnerAction,
  key: string | undefined,
): Promise<BulkResult[] | Rejection> {
  const status = STATUS_AFTER[action];
  return runBulk(runtime, program, { key, content: ['partner', action, ids] }, ids, async (tx, id) => {
    // Pass no program scope. The change affects only this program, so it does not matter whether the partner is also
    // in programs outside the caller's scope.
    const partner = await changePartnerIn(tx, runtime, program, id, { status }, null);
    return isRejection(partner) ? partner : { status };
  });
}

/** Marks each payout as paid. Each payout has its own reference and expected amount. */
export function markPayoutsPaid(
  runtime: Runtime,
  program: ProgramAccount,
  payments: readonly (Payment & { readonly id: number })[],
  key: string | undefined,
): Promise<BulkResult[] | Rejection> {
  const paymentOf = new Map(payments.map(({ id, ...payment }) => [id, payment]));
  const content = [...paymentOf].map(([id, { reference = null, expectedCents }]) =>
    expectedCents === undefined ? [id, reference] : [id, reference, expectedCents],
  );
  const identity = { key, content: ['payout', content] };
  return runBulk(runtime, program, identity, [...paymentOf.keys()], (tx, id) =>
    markPayoutPaidIn(tx, runtime, program, id, paymentOf.get(id) ?? {}),
  );
}

/**
 * Changes each row separately, so that a rejected row does not affect the others.
 *
 * With an idempotency key, the result of a row is stored in the transaction that changes it. Each row is
 * therefore changed only once, even if requests run concurrently or are repeated after a crash. Every
 * repeated request returns the first results.
 * @returns a rejection when the key was used for a different request
 */
async function runBulk(
  runtime: Runtime,
  program: ProgramAccount,
  identity: BulkRequestIdentity,
  ids: readonly number[],
  change: (tx: Transaction, id: number) => Promise<{ readonly status: string } | Rejection>,
): Promise<BulkResult[] | Rejection> {
  const key = identity.key === undefined ? null : { programId: program.id, key: identity.key };
  if (key) {
    const fingerprint = hash('sha256', JSON.stringify(identity.content));
    const first = await runtime.engine.write(program.workspaceId, (tx) =>
      claimBulkKey(tx, key, fingerprint, runtime.now()),
    );
    if (first !== fingerprint) {
      return new Rejection(
        'conflict',
        'idempotency_key was already used for a different request. Send a new key.',
      );
    }
  }
  return await writeEach(runtime, program, ids, (tx, id) =>
    changeBulkRowOnce(tx, key, id, runtime.now(), () => change(tx, id)),
  );
}

async function changeBulkRowOnce(
  tx: Transaction,
  key: BulkKey | null,
  id: number,
  at: number,
  change: () => Promise<{ readonly status: string } | Rejection>,
): Promise<BulkResult> {
  const stored = key && (await findBulkResult(tx, key, id));
  // The cast is safe because only `insertBulkResult` below writes these texts.
  if (stored) return JSON.parse(stored) as BulkResult;
  const changed = await rollbackStepWhen(tx, change, isRejection);
  const rowResult: BulkResult = isRejection(changed)
    ? { id, ok: false, code: changed.code, error: changed.message }
    : { id, ok: true, status: changed.status };
  if (key) await insertBulkResult(tx, key, id, JSON.stringify(rowResult), at);
  return rowResult;
}
