import type { Runtime } from '../runtime.ts';
import { findUnsealedPrograms, sealBatch } from '../storage/money/ledger-chain.ts';
import { throwFailures } from './failures.ts';

/**
 * Appends a limited number of new ledger entries of each program to its hash chain. A program that fails does
 * not block the others.
 * @returns whether more work may be due
 */
export async function sealLedgers(runtime: Runtime): Promise<boolean> {
  const sealFailures: unknown[] = [];
  let hasMore = false;
  for (const { programId, workspaceId } of await findUnsealedPrograms(runtime.engine.read)) {
    await runtime.engine
      .write(workspaceId, (tx) => sealBatch(tx, programId))
      .then((isLeft) => {
        hasMore ||= isLeft;
      })
      .catch((error: unknown) => sealFailures.push(error));
  }
  // A job that throws is skipped for the rest of the run. So throw only when nothing is left to seal, except in the
  // programs that failed. Until then, each turn retries the failed programs.
  if (!hasMore) throwFailures(sealFailures);
  return hasMore;
}
