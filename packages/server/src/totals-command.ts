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
 * Compares the daily totals of one program, or of all, with the rows that they stand for; `rebuild` corrects them.
 * Both may run beside a service that uses the database.
 * @returns the exit code: 1 where `check` has found a difference
 */
export async function runTotals(
  engine: Engine,
  task: { readonly action: 'check' | 'rebuild'; readonly programId: number | null },
  print: Print,
): Promise<number> {
  const known = await listProgramsWithTotals({ engine });
  if (task.programId !== null && !known.includes(task.programId)) {
    print(`There is no program ${task.programId}`);
    return 1;
  }
  const ids = task.programId === null ? known : [task.programId];
  let found = 0;
  for (const id of ids) {
    found += task.action === 'check' ? await check(engine, id, print) : await rebuildTotals({ engine }, id);
  }
  const programs = `${ids.length} ${ids.length === 1 ? 'program' : 'programs'}`;
  const totals = `${found} ${found === 1 ? 'total' : 'totals'}`;
  print(`${programs} gone through, ${totals} ${task.action === 'check' ? 'wrong' : 'corrected'}`);
  return task.action === 'check' && found > 0 ? 1 : 0;
}

async function check(engine: Engine, programId: number, print: Print): Promise<number> {
  const drifts = await checkTotals({ engine }, programId);
  for (const drift of drifts) print(describe(programId, drift));
  return drifts.length;
}

function describe(programId: number, { partnerId, day, measure, recorded, counted }: TotalDrift): string {
  const date = isoDate(day);
  const owner = partnerId > 0 ? `program ${programId}, partner ${partnerId}` : `program ${programId}`;
  // The owners below 0 are the 24 hours of the day.
  const time = partnerId < 0 ? `${date} ${-1 - partnerId} h` : date;
  return `${owner}, ${time}, ${measure}: the total is ${recorded}, the rows say ${counted}`;
}
