import type { Runtime } from '../runtime.ts';
import { findWorkspaceOfProgram, listProgramIds } from '../storage/programs/programs.ts';
import { correctDrift, findDrift, TOTAL_SOURCES, type TotalDrift } from '../storage/reads/totals-drift.ts';

export type { TotalDrift } from '../storage/reads/totals-drift.ts';

/** The totals need no more than the database: a command has no secret and no clock. */
type Stored = Pick<Runtime, 'engine'>;

/** Where a program's daily totals say another sum than its events, customers, commissions and partners. */
export async function checkTotals(runtime: Stored, programId: number): Promise<TotalDrift[]> {
  const drifts: TotalDrift[] = [];
  for (const source of TOTAL_SOURCES)
    drifts.push(...(await findDrift(runtime.engine.read, programId, source)));
  return drifts;
}

/**
 * Makes a program's daily totals anew from its rows, while the service runs. Only what differs is written: each kind
 * of total in a unit of work of its own, by one statement that adds the difference.
 * @returns how many totals it has corrected
 */
export async function rebuildTotals(runtime: Stored, programId: number): Promise<number> {
  const { engine } = runtime;
  const workspaceId = await findWorkspaceOfProgram(engine.read, programId);
  if (workspaceId === null) return 0;
  let corrected = 0;
  for (const source of TOTAL_SOURCES) {
    // On SQLite a count under the write lock would hold up every writer.
    if ((await findDrift(engine.read, programId, source)).length === 0) continue;
    corrected += await engine.write(workspaceId, (tx) => correctDrift(tx, programId, source));
  }
  return corrected;
}

/** Ids of all programs, the deleted ones too. */
export function listProgramsWithTotals(runtime: Stored): Promise<number[]> {
  return listProgramIds(runtime.engine.read);
}
