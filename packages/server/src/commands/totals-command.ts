import { checkTotals, type Engine, isoDate, rebuildTotals, type TotalDrift } from '@affkit/core';
import { type PrintLine, type ProgramsOptions, runForPrograms } from './programs-command.ts';

/**
 * Compares the daily totals of one program, or of all programs if `programId` is null, with the rows that
 * they sum up. `rebuild` corrects the totals that differ. You can run the command while the server is
 * running.
 * @returns the exit code: 1 if `check` found a difference or the program is unknown, otherwise 0
 */
export function runTotals(engine: Engine, options: ProgramsOptions, print: PrintLine): Promise<number> {
  return runForPrograms(
    engine,
    options,
    {
      check: async (programId) => {
        const drifts = await checkTotals({ engine }, programId);
        return drifts.map((drift) => describeTotalDrift(programId, drift));
      },
      rebuild: (programId) => rebuildTotals({ engine }, programId),
    },
    print,
  );
}

function describeTotalDrift(
  programId: number,
  { partnerId, day, measure, recorded, counted }: TotalDrift,
): string {
  const date = isoDate(day);
  const owner = partnerId > 0 ? `program ${programId}, partner ${partnerId}` : `program ${programId}`;
  // Partner ids -1 to -24 stand for the hours 0 to 23 of the day.
  const time = partnerId < 0 ? `${date} ${-1 - partnerId} h` : date;
  return `${owner}, ${time}, ${measure}: the stored total is ${recorded}, the rows sum to ${counted}`;
}
