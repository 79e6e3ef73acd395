import {
  type BreakdownDrift,
  checkBreakdowns,
  type Engine,
  isoDate,
  listProgramsWithTotals,
  rebuildBreakdowns,
} from '@affkit/core';

type Print = (line: string) => void;

/**
 * Compares the breakdowns of one program, or of all programs if `programId` is null, with the counted events.
 * `rebuild` corrects the breakdowns that differ. The server may run meanwhile.
 * @returns the exit code: 1 if `check` found a difference or the program is unknown, else 0
 */
export async function runBreakdowns(
  engine: Engine,
  { action, programId }: { readonly action: 'check' | 'rebuild'; readonly programId: number | null },
  print: Print,
): Promise<number> {
  const known = await listProgramsWithTotals({ engine });
  if (programId !== null && !known.includes(programId)) {
    print(`Program ${programId} does not exist`);
    return 1;
  }
  const ids = programId === null ? known : [programId];
  let count = 0;
  for (const id of ids) {
    if (action === 'rebuild') count += await rebuildBreakdowns({ engine }, id);
    else {
      const drifts = await checkBreakdowns({ engine }, id);
      for (const drift of drifts) print(describe(drift));
      count += drifts.length;
    }
  }
  const programs = `${ids.length} ${ids.length === 1 ? 'program' : 'programs'}`;
  const totals = `${count} ${count === 1 ? 'total' : 'totals'}`;
  print(`Checked ${programs}: ${totals} ${action === 'check' ? 'wrong' : 'corrected'}`);
  return action === 'check' && count > 0 ? 1 : 0;
}

function describe({ programId, day, dimension, value, isOther, measure, recorded, counted }: BreakdownDrift) {
  const name = isOther ? 'other values' : JSON.stringify(value);
  return `program ${programId}, ${isoDate(day)}, ${dimension} ${name}, ${measure}: the stored total is ${recorded}, the events sum to ${counted}`;
}
