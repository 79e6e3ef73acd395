import type { Runtime } from '../runtime.ts';
import { findUnsealedPrograms, sealSome } from '../storage/ledger-chain.ts';

/** Seals what the ledgers have gained into their chains, a bounded part in each transaction. */
export async function sealLedgers(runtime: Runtime): Promise<void> {
  for (const { programId, workspaceId } of await findUnsealedPrograms(runtime.engine.read)) {
    while (await runtime.engine.write(workspaceId, (tx) => sealSome(tx, programId)));
  }
}
