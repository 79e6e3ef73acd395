import { type BreakdownDrift, checkBreakdowns, type Engine, isoDate, rebuildBreakdowns } from '@affkit/core';
import { type PrintLine, type ProgramsOptions, runForPrograms } from './programs-command.ts';

/**
 * Compares the breakdowns of one program, or of all programs if `programId` is null, with the counted events.
 * `rebuild` corrects the breakdowns that differ. You can run the command while the server is running.
 * @returns the exit code: 1 if `check` found a difference or the program is unknown, otherwise 0
 */
export function runBreakdowns(engine: Engine, options: ProgramsOptions, print: PrintLine): Promise<number> {
  return runForPrograms(
    engine,
    options,
    {
      check: async (programId) => {
        const drifts = await checkBreakdowns({ engine }, programId);
        return drifts.map(describeBreakdownDrift);
      },
      rebuild: (programId) => rebuildBreakdowns({ engine }, programId),
    },
    print,
  );
}

function describeBreakdownDrift({
  programId,
  day,
  dimension,
  value,
  isOther,
  measure,
  recorded,
  counted,
}: BreakdownDrift) {
  const name = isOther ? 'other values' : JSON.stringify(value);
  return `program ${programId}, ${isoDate(day)}, ${dimension} ${name}, ${measure}: the stored total is ${recorded}, the events sum to ${counted}`;
}
