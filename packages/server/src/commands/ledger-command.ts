import { type Engine, verifyLedger } from '@affkit/core';
import type { CommandOutput, CommandResult } from './command-result.ts';
import { selectPrograms } from './programs-command.ts';

/**
 * Verifies the ledger of one program, or of all programs if `programId` is null. You can run the command while the
 * server is running. The exit code is 1 if there is an inconsistency.
 */
export async function verifyLedgerCommand(
  engine: Engine,
  programId: number | null,
  { progress }: CommandOutput,
): Promise<CommandResult> {
  await selectPrograms(engine, programId);
  const report = await verifyLedger({ engine }, programId, (fraction) =>
    progress.show('Verifying the ledger', fraction),
  );
  const { programs, entries, unsealed, commissions, payouts } = report;
  const counts = `programs ${programs}, entries ${entries} (unsealed ${unsealed}), commissions ${commissions}`;
  return {
    exitCode: report.fault === null ? 0 : 1,
    data: { consistent: report.fault === null, ...report },
    lines: [report.fault ?? `The ledger is consistent: ${counts}, payouts ${payouts}`],
  };
}
