import type { Runtime } from '../runtime.ts';
import { findWorkspaceOfProgram, listProgramIds } from '../storage/programs/programs.ts';
import {
  correctTotalsDrift,
  findTotalsDrift,
  TOTAL_SOURCES,
  type TotalDrift,
} from '../storage/reads/totals-drift.ts';
import type { CountedClicks } from '../storage/tracking/removed-months.ts';
import type { OnProgress } from './progress.ts';

export type { TotalDrift } from '../storage/reads/totals-drift.ts';

/** Requires only the engine, so that a command line tool can run without a secret. */
type TotalsRuntime = Pick<Runtime, 'engine'>;

/**
 * Compares a program's daily totals with the sums of its events, customers, commissions and partners.
 *
 * @returns the totals that differ; empty when all are correct
 */
export async function checkTotals(
  runtime: TotalsRuntime,
  programId: number,
  onProgress: OnProgress = () => {},
  clicks: CountedClicks = 'complete_months',
): Promise<TotalDrift[]> {
  const drifts: TotalDrift[] = [];
  for (const [index, source] of TOTAL_SOURCES.entries()) {
    onProgress(index / TOTAL_SOURCES.length);
    drifts.push(...(await findTotalsDrift(runtime.engine.read, programId, source, clicks)));
  }
  return drifts;
}

/**
 * Recomputes a program's daily totals from its rows and corrects the totals that differ. You can call it
 * while the service writes. Each kind of total is corrected in its own transaction, with a single statement
 * that adds the difference.
 *
 * @returns the number of corrected totals
 */
export async function rebuildTotals(
  runtime: TotalsRuntime,
  programId: number,
  onProgress: OnProgress = () => {},
  clicks: CountedClicks = 'complete_months',
): Promise<number> {
  const { engine } = runtime;
  const workspaceId = await findWorkspaceOfProgram(engine.read, programId);
  if (workspaceId === null) return 0;
  let corrected = 0;
  for (const [index, source] of TOTAL_SOURCES.entries()) {
    onProgress(index / TOTAL_SOURCES.length);
    // First count without a transaction. On SQLite, a count inside a write transaction blocks all writers.
    if ((await findTotalsDrift(engine.read, programId, source, clicks)).length === 0) continue;
    corrected += await engine.write(workspaceId, (tx) =>
      correctTotalsDrift(tx, programId, source, { clicks }),
    );
  }
  return corrected;
}

/** Returns the ids of all programs, including deleted ones. */
export function listProgramsWithTotals(runtime: TotalsRuntime): Promise<number[]> {
  return listProgramIds(runtime.engine.read);
}
