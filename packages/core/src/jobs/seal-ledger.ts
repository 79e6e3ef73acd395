import type { Runtime } from '../runtime.ts';
import { findUnsealedPrograms, sealSome } from '../storage/money/ledger-chain.ts';
import { throwFailures } from './failures.ts';

/**
 * Seals what the ledgers have gained, a bounded part of each; a program that fails holds up no other.
 * @returns whether there may be more
 */
export async function sealLedgers(runtime: Runtime): Promise<boolean> {
  const failures: unknown[] = [];
  let hasMore = false;
  for (const { programId, workspaceId } of await findUnsealedPrograms(runtime.engine.read)) {
    await runtime.engine
      .write(workspaceId, (tx) => sealSome(tx, programId))
      .then((isLeft) => {
        hasMore ||= isLeft;
      })
      .catch((error: unknown) => failures.push(error));
  }
  // A job that fails has no more turns in a round. The program is tried again in the last one, and told of there.
  if (!hasMore) throwFailures(failures);
  return hasMore;
}
