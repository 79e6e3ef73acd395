import { type Engine, listProgramsWithTotals, verifyLedger } from '@affkit/core';

/**
 * Verifies the ledger of one program, or of all programs if `programId` is null. Prints one line: the counts,
 * or the first inconsistency. The server may run meanwhile.
 * @returns the exit code: 1 for an inconsistency or an unknown program, else 0
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
