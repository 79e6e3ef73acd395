import { checkTotals, type Engine, isoDate, rebuildTotals, type TotalDrift } from '@affkit/core';
import type { CommandOutput, CommandResult } from './command-result.ts';
import { type Difference, type ProgramsOptions, runForPrograms } from './programs-command.ts';

/**
 * Compares each daily total with the sum of the rows that it summarizes, for one program, or for all programs if
 * `programId` is null. `rebuild` corrects the totals that differ. You can run the command while the server is running.
 */
export function runTotals(
  engine: Engine,
  options: ProgramsOptions,
  output: CommandOutput,
): Promise<CommandResult> {
  return runForPrograms(
    engine,
    options,
    {
      check: async (programId, onProgress) => {
        const drifts = await checkTotals({ engine }, programId, onProgress);
        return drifts.map((drift) => differenceOf(programId, drift));
      },
      rebuild: (programId, onProgress) => rebuildTotals({ engine }, programId, onProgress),
    },
    output,
  );
}

function differenceOf(
  programId: number,
  { partnerId, day, measure, recorded, counted }: TotalDrift,
): Difference {
  const date = isoDate(day);
  // The totals of the hours 0 to 23 are stored under the partner ids -1 to -24.
  const hour = partnerId < 0 ? -1 - partnerId : null;
  const owner = partnerId > 0 ? `program ${programId}, partner ${partnerId}` : `program ${programId}`;
  const time = hour === null ? date : `${date} ${hour} h`;
  return {
    data: {
      programId,
      partnerId: partnerId > 0 ? partnerId : null,
      date,
      hour,
      measure,
      recorded,
      counted,
    },
    line: `${owner}, ${time}, ${measure}: the stored total is ${recorded}, the rows sum to ${counted}`,
  };
}
