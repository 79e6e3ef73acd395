import { DAY_MS } from '../domain/calendar.ts';
import { latestScheduledDay } from '../domain/payout-schedule.ts';
import { proposePayoutRun } from '../management/payout-runs.ts';
import type { Runtime } from '../runtime.ts';
import { listScheduledPrograms } from '../storage/money/payout-runs.ts';
import { throwFailures } from './failures.ts';

/**
 * Proposes the payouts of each program whose scheduled day has begun, once per month. Several processes can run this
 * job, because the database stores only one payout run per program and month. A scheduled day that ended before the
 * schedule was set is skipped.
 * @returns false, because one turn proposes all due payouts
 */
export async function proposeScheduledPayouts(runtime: Runtime): Promise<boolean> {
  const failures: unknown[] = [];
  const at = runtime.now();
  for (const scheduled of await listScheduledPrograms(runtime.engine.read)) {
    const { programId, scheduleDay, scheduledAt, lastMonth } = scheduled;
    const due = latestScheduledDay(scheduleDay, at);
    if (due.at + DAY_MS <= scheduledAt || (lastMonth !== null && lastMonth >= due.month)) continue;
    const program = await runtime.findProgram(programId);
    if (program) {
      await proposePayoutRun(runtime, program, due.month).catch((error: unknown) => failures.push(error));
    }
  }
  throwFailures(failures);
  return false;
}
