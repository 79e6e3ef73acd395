import { type Engine, listProgramsWithTotals } from '@affkit/core';

export type PrintLine = (line: string) => void;

export interface ProgramsOptions {
  readonly action: 'check' | 'rebuild';
  /** The id of the program, or null for all programs. */
  readonly programId: number | null;
}

/** The functions that check and correct one kind of stored totals. */
export interface TotalsOfKind {
  /** Returns one line for each wrong total. */
  check(programId: number): Promise<readonly string[]>;
  /** Returns the number of totals that were corrected. */
  rebuild(programId: number): Promise<number>;
}

/**
 * Checks or rebuilds the totals of one program, or of all, and prints a summary.
 * @returns the exit code: 1 if `check` found a difference or the program is unknown, otherwise 0
 */
export async function runForPrograms(
  engine: Engine,
  { action, programId }: ProgramsOptions,
  { check, rebuild }: TotalsOfKind,
  print: PrintLine,
): Promise<number> {
  const known = await listProgramsWithTotals({ engine });
  if (programId !== null && !known.includes(programId)) {
    print(`Program ${programId} does not exist`);
    return 1;
  }
  const ids = programId === null ? known : [programId];
  let count = 0;
  for (const id of ids) {
    if (action === 'rebuild') count += await rebuild(id);
    else {
      const lines = await check(id);
      for (const line of lines) print(line);
      count += lines.length;
    }
  }
  const programs = `${ids.length} ${ids.length === 1 ? 'program' : 'programs'}`;
  const totals = `${count} ${count === 1 ? 'total' : 'totals'}`;
  print(`Checked ${programs}: ${totals} ${action === 'check' ? 'wrong' : 'corrected'}`);
  return action === 'check' && count > 0 ? 1 : 0;
}
