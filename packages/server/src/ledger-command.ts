import { type Engine, listProgramsWithTotals, verifyLedger } from '@affkit/core';

/**
 * Verifies the ledger of one program, or of all, beside a service that may use the database, and prints one line: the
 * figures, or the first difference.
 * @returns the exit code: 1 where there is a difference, or no such program
 */
export async function runLedger(
  engine: Engine,
  programId: number | null,
  print: (line: string) => void,
): Promise<number> {
  if (programId !== null && !(await listProgramsWithTotals({ engine })).includes(programId)) {
    print(`There is no program ${programId}`);
    return 1;
  }
  const report = await verifyLedger({ engine }, programId);
  if (report.fault !== null) {
    print(report.fault);
    return 1;
  }
  const { programs, entries, unsealed, commissions, payouts } = report;
  const figures = `programs ${programs}, entries ${entries}, of them unsealed ${unsealed}, commissions ${commissions}`;
  print(`The ledger agrees: ${figures}, payouts ${payouts}`);
  return 0;
}
