import { type Engine, listProgramsWithTotals } from '@affkit/core';
import { CommandError, type CommandOutput, type CommandResult } from './command-result.ts';
import { countOf } from './count-of.ts';

export interface ProgramsOptions {
  readonly action: 'check' | 'rebuild';
  /** The id of the program, or null for all programs. */
  readonly programId: number | null;
}

/** A stored total that differs from the sum of the rows that it summarizes. */
export interface Difference {
  readonly data: unknown;
  readonly line: string;
}

/** Receives how much of the work is done, from 0 to 1. */
type OnProgress = (fraction: number) => void;

/** The functions that check and correct one kind of stored totals. */
export interface TotalsOfKind {
  check(programId: number, onProgress: OnProgress): Promise<readonly Difference[]>;
  /** Returns the number of totals that were corrected. */
  rebuild(programId: number, onProgress: OnProgress): Promise<number>;
}

/**
 * Returns the given program id, or the ids of all programs.
 * @throws CommandError if the program does not exist
 */
export async function selectPrograms(engine: Engine, programId: number | null): Promise<number[]> {
  const known = await listProgramsWithTotals({ engine });
  if (programId === null) return known;
  if (!known.includes(programId)) throw new CommandError(`Program ${programId} does not exist`);
  return [programId];
}

/** Checks or rebuilds the totals of one program, or of all. The exit code is 1 if `check` found a difference. */
export async function runForPrograms(
  engine: Engine,
  { action, programId }: ProgramsOptions,
  { check, rebuild }: TotalsOfKind,
  { progress, printLine }: CommandOutput,
): Promise<CommandResult> {
  const ids = await selectPrograms(engine, programId);
  const differences: unknown[] = [];
  let corrected = 0;
  for (const [index, id] of ids.entries()) {
    const onProgress = (fraction: number) =>
      progress.show(`Program ${id}, ${index + 1} of ${ids.length}`, fraction);
    onProgress(0);
    if (action === 'rebuild') corrected += await rebuild(id, onProgress);
    else {
      for (const { data, line } of await check(id, onProgress)) {
        differences.push(data);
        printLine(line);
      }
    }
  }
  const checked = `Checked ${countOf(ids.length, 'program')}`;
  return action === 'rebuild'
    ? {
        exitCode: 0,
        data: { programs: ids.length, corrected },
        lines: [`${checked}: ${countOf(corrected, 'total')} corrected`],
      }
    : {
        exitCode: differences.length > 0 ? 1 : 0,
        data: { programs: ids.length, differences },
        lines: [`${checked}: ${countOf(differences.length, 'total')} wrong`],
      };
}
