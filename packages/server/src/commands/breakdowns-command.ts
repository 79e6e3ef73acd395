import { type BreakdownDrift, checkBreakdowns, type Engine, isoDate, rebuildBreakdowns } from '@affkit/core';
import type { CommandOutput, CommandResult } from './command-result.ts';
import { type Difference, type ProgramsOptions, runForPrograms } from './programs-command.ts';

/**
 * Compares the breakdowns (daily counts by country, referrer, device and page) with the counted events, for one
 * program, or for all programs if `programId` is null.
 * `rebuild` corrects the breakdowns that differ. You can run the command while the server is running.
 */
export function runBreakdowns(
  engine: Engine,
  options: ProgramsOptions,
  output: CommandOutput,
): Promise<CommandResult> {
  return runForPrograms(
    engine,
    options,
    {
      check: async (programId, onProgress) => {
        const drifts = await checkBreakdowns({ engine }, programId, onProgress);
        return drifts.map(differenceOf);
      },
      rebuild: (programId, onProgress) => rebuildBreakdowns({ engine }, programId, onProgress),
    },
    output,
  );
}

function differenceOf({ day, ...drift }: BreakdownDrift): Difference {
  const { programId, dimension, value, isOther, measure, recorded, counted } = drift;
  const date = isoDate(day);
  const name = isOther ? 'other values' : JSON.stringify(value);
  return {
    data: { programId, date, dimension, value, isOther, measure, recorded, counted },
    line: `program ${programId}, ${date}, ${dimension} ${name}, ${measure}: the stored total is ${recorded}, the events sum to ${counted}`,
  };
}
