import {
  checkTotals,
  type Engine,
  isoDate,
  listProgramsWithTotals,
  rebuildTotals,
  type TotalDrift,
} from '@affkit/core';

type Print = (line: string) => void;

/**
 * Compares the daily totals of one program, or of all programs if `programId` is null, with the rows that
 * they sum up. `rebuild` corrects the totals that differ. The server may run meanwhile.
 * @returns the exit code: 1 if `check` found a difference or the program is unknown, else 0
 */
export async function runTotals(
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
    count += action === 'check' ? await check(engine, id, print) : await rebuildTotals({ engine }, id);
  }
  const programs = `${ids.length} ${ids.length === 1 ? 'program' : 'programs'}`;
  const totals = `${count} ${count === 1 ? 'total' : 'totals'}`;
  print(`Checked ${programs}: ${totals} ${action === 'check' ? 'wrong' : 'corrected'}`);
  return action === 'check' && count > 0 ? 1 : 0;
}

async function check(engine: Engine, programId: number, print: Print): Promise<number> {
  const drifts = await checkTotals({ engine }, programId);
  for (const drift of drifts) print(describe(programId, drift));
  return drifts.length;
}

function describe(programId: number, { partnerId, day, measure, recorded, counted }: TotalDrift): string {
  const date = isoDate(day);
  const owner = partnerId > 0 ? `program ${programId}, partner ${partnerId}` : `program ${programId}`;
  // Partner ids -1 to -24 stand for the hours 0 to 23 of the day.
  const time = partnerId < 0 ? `${date} ${-1 - partnerId} h` : date;
  return `${owner}, ${time}, ${measure}: the stored total is ${recorded}, the rows sum to ${counted}`;
}
