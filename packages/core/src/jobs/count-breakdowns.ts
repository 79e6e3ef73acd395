import { BreakdownSums } from '../domain/breakdown.ts';
import { utcDay } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import {
  type BreakdownEventIds,
  COUNTED_EVENT_KINDS,
  findSettledIds,
  listNextBreakdownEvents,
  type StoredBreakdownEvent,
} from '../storage/reads/breakdown-events.ts';
import {
  addBreakdownTotals,
  findBreakdownProgress,
  findUncountedPrograms,
  listBreakdownValues,
  lockBreakdownProgress,
  saveBreakdownProgress,
} from '../storage/reads/breakdowns.ts';
import { countLinkClicks } from './count-link-clicks.ts';
import { countLinkTotals } from './count-link-totals.ts';

/** The number of events in a batch. It is small because, on SQLite, reading and counting a batch blocks the process. */
const BREAKDOWN_BATCH_SIZE = 1_000;
/** The maximum number of programs that one call of the job handles. Used only on Postgres. */
const MAX_BREAKDOWN_PROGRAMS = 50;

/**
 * Counts new events in the breakdowns of their programs and in the totals of links, one batch per program.
 * The totals are stored together with the progress, and only if the progress has not changed since this call read
 * it. Each event is therefore counted exactly once.
 * @returns whether more work may be due
 */
export async function countBreakdowns({ engine, now }: Pick<Runtime, 'engine' | 'now'>): Promise<boolean> {
  const at = now();
  const settled = await findSettledIds(engine);
  if (!settled) return false;
  const keys = await findUncountedPrograms(engine, settled, MAX_BREAKDOWN_PROGRAMS);
  let hasMore = keys.length === MAX_BREAKDOWN_PROGRAMS;
  for (const key of keys) hasMore = (await countBreakdownBatch(engine, key, settled, at)) || hasMore;
  hasMore = (await countLinkClicks(engine, settled.click, at)) || hasMore;
  return (await countLinkTotals(engine, settled, at)) || hasMore;
}

/**
 * Counts one batch.
 * @returns whether events up to `settled` are still uncounted; false if another process is counting them
 */
async function countBreakdownBatch(
  engine: Engine,
  key: number,
  settled: BreakdownEventIds,
  at: number,
): Promise<boolean> {
  const before = await findBreakdownProgress(engine.read, key);
  const events: StoredBreakdownEvent[] = [];
  const ids = { ...before.ids };
  let isComplete = true;
  for (const kind of COUNTED_EVENT_KINDS) {
    const upTo = Math.max(settled[kind], before.ids[kind]);
    const limit = BREAKDOWN_BATCH_SIZE - events.length;
    if (limit > 0) {
      const range = { after: before.ids[kind], upTo, limit, asOf: before.asOf };
      const next = await listNextBreakdownEvents(
        { dialect: engine.dialect, db: engine.read },
        kind,
        key === 0 ? null : key,
        range,
      );
      ids[kind] = next.lastId;
      events.push(...next.events);
    }
    if (ids[kind] < upTo) isComplete = false;
  }
  const days = new Map(
    events.map(({ programId, at: time }) => [
      `${programId}:${utcDay(time)}`,
      { programId, day: utcDay(time) },
    ]),
  );
  const isStored = await engine.write(
    SERVICE_LANE,
    async (tx) => {
      const current = await lockBreakdownProgress(tx, key);
      if (!current || COUNTED_EVENT_KINDS.some((kind) => current.ids[kind] !== before.ids[kind]))
        return false;
      // Read the values only while the progress is locked. A rebuild, which locks it too, may change which values have
      // their own row.
      const sums = new BreakdownSums(await listBreakdownValues(tx, [...days.values()]));
      for (const event of events) sums.add(event);
      await addBreakdownTotals(tx, sums.totals());
      await saveBreakdownProgress(tx, key, { ids, asOf: isComplete ? at : current.asOf });
      return true;
    },
    () => [],
  );
  return isStored && !isComplete;
}
