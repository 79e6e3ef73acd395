import type { Runtime } from '../runtime.ts';
import { findUnsealedPrograms, sealSome } from '../storage/ledger-chain.ts';
import { throwFailures } from './failures.ts';

/** Seals what the ledgers have gained, a bounded part in each transaction; a program that fails holds up no other. */
export async function sealLedgers(runtime: Runtime): Promise<void> {
  const failures: unknown[] = [];
  for (const { programId, workspaceId } of await findUnsealedPrograms(runtime.engine.read)) {
    await sealAll(runtime, programId, workspaceId).catch((error: unknown) => failures.push(error));
  }
  throwFailures(failures);
}

async function sealAll(runtime: Runtime, programId: number, workspaceId: number): Promise<void> {
  while (await runtime.engine.write(workspaceId, (tx) => sealSome(tx, programId)));
}
