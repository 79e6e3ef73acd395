import { type Engine, listProgramsWithTotals, verifyLedger } from '@affkit/core';

/**
 * Verifies the ledger of one program, or of all programs if `programId` is null. Prints one line: the counts,
 * or the first inconsistency. You can run the command while the server is running.
 * @returns the exit code: 1 if there is an inconsistency or the program is unknown, otherwise 0
 */
export async function verifyLedgerCommand(
  engine: Engine,
  programId: number | null,
  print: (line: string) => void,
): Promise<number> {
  if (programId !== null && !(await listProgramsWithTotals({ engine })).includes(programId)) {
    print(`Program ${programId} does not exist`);
    return 1;
  }
  const report = await verifyLedger({ engine }, programId);
  if (report.fault !== null) {
    print(report.fault);
    return 1;
  }
  const { programs, entries, unsealed, commissions, payouts } = report;
  const counts = `programs ${programs}, entries ${entries} (unsealed ${unsealed}), commissions ${commissions}`;
  print(`The ledger is consistent: ${counts}, payouts ${payouts}`);
  return 0;
}
