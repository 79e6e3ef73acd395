import { performance } from 'node:perf_hooks';
import { type LinkEvents, LinkSums } from '../domain/link-totals.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { LINK_EVENT_KINDS, type LinkEventIds, sumNextLinkEvents } from '../storage/reads/link-events.ts';
import {
  addLinkTotals,
  findLinkTotalProgress,
  findUncountedLinkPrograms,
  listStoredSubIds,
  lockLinkTotalProgress,
  saveLinkTotalProgress,
} from '../storage/reads/link-totals.ts';

/**
 * A batch counts the events in a range of ids, for each kind of event. This is the size of the range in the first
 * batch, and the minimum size. It is small because, on SQLite, counting a batch blocks the process.
 */
const MIN_BATCH_IDS = 2_000;
const GROWTH = 4;
/**
 * The maximum size of the range of ids that a batch counts. The range grows while it contains few events of the
 * program. If the program then gets many events, a large range contains many of them. The maximum limits the memory
 * that such a batch needs.
 */
const MAX_BATCH_IDS = MIN_BATCH_IDS * GROWTH ** 5;
/**
 * The target duration of a batch. If a batch takes less time, the next batch is larger, otherwise smaller.
 */
const TARGET_BATCH_MS = 50;
/** The maximum number of programs that one call of the job handles. Used only on Postgres. */
const MAX_LINK_TOTAL_PROGRAMS = 50;
/** A call of the job stops after this time, so that the other jobs can run. */
const TURN_MS = 1_000;
/** When a program has taken this long, the job finishes the current batch and continues with the next program. */
const PROGRAM_MS = 250;

/**
 * Counts new events in the totals of links and sub-ids. The totals and the progress are stored in one
 * transaction, so each event is counted exactly once. On Postgres, all programs share the ids of a table. If a
 * program has few events, a batch must span many ids to find them.
 * @param settled for each kind of event, the last id to count. No new event can get this id or a lower one
 * @param at a time; no event that was stored before this time has an id above `settled`
 * @returns whether more work may be due
 */
export async function countLinkTotals(engine: Engine, settled: LinkEventIds, at: number): Promise<boolean> {
  const keys = await findUncountedLinkPrograms(engine, settled, MAX_LINK_TOTAL_PROGRAMS);
  let hasMore = keys.length === MAX_LINK_TOTAL_PROGRAMS;
  // On SQLite, a batch blocks all requests of the process. So each turn has only one batch, and other jobs run
  // before the next batch.
  const programMs = engine.dialect === 'sqlite' ? 0 : PROGRAM_MS;
  const endsAt = performance.now() + TURN_MS;
  for (const key of keys) {
    if (performance.now() >= endsAt) return true;
    const isBehind = await countLinkTotalsOfProgram(engine, { key, programMs }, settled, at);
    hasMore ||= isBehind;
  }
  return hasMore;
}

/** @returns whether events up to `settled` are still uncounted; false if another process is counting them */
async function countLinkTotalsOfProgram(
  engine: Engine,
  { key, programMs }: { readonly key: number; readonly programMs: number },
  settled: LinkEventIds,
  at: number,
): Promise<boolean> {
  const startedAt = performance.now();
  let limit = MIN_BATCH_IDS;
  for (;;) {
    const batchStartedAt = performance.now();
    const isBehind = await countLinkTotalBatch(engine, { key, limit }, settled, at);
    const now = performance.now();
    if (!isBehind || now - startedAt >= programMs) return isBehind;
    if (now - batchStartedAt < TARGET_BATCH_MS) limit = Math.min(limit * GROWTH, MAX_BATCH_IDS);
    else limit = Math.max(limit / GROWTH, MIN_BATCH_IDS);
  }
}

/**
 * Counts the next events. It reads them before the transaction begins, because other writes wait during the
 * transaction.
 * @returns whether events up to `settled` are still uncounted; false if another process is counting them
 */
async function countLinkTotalBatch(
  engine: Engine,
  { key, limit }: { readonly key: number; readonly limit: number },
  settled: LinkEventIds,
  at: number,
): Promise<boolean> {
  const { ids: before, asOf } = await findLinkTotalProgress(engine.read, key);
  const events: LinkEvents[] = [];
  const ids = { ...before };
  for (const kind of LINK_EVENT_KINDS) {
    const range = { after: before[kind], upTo: settled[kind], limit, asOf };
    const next = await sumNextLinkEvents(
      { dialect: engine.dialect, db: engine.read },
      kind,
      key === 0 ? null : key,
      range,
    );
    ids[kind] = next.lastId;
    events.push(...next.events);
  }
  const isComplete = LINK_EVENT_KINDS.every((kind) => ids[kind] >= settled[kind]);
  const days = new Map(events.map(({ programId, day }) => [`${programId}:${day}`, { programId, day }]));
  return engine.write(
    SERVICE_LANE,
    async (tx) => {
      const progress = await lockLinkTotalProgress(tx, key);
      const isCurrent =
        progress !== null && LINK_EVENT_KINDS.every((kind) => progress.ids[kind] === before[kind]);
      if (!isCurrent) return false;
      const sums = new LinkSums(await listStoredSubIds(tx, [...days.values()]));
      for (const group of events) sums.add(group);
      await addLinkTotals(tx, sums.totals());
      await saveLinkTotalProgress(tx, key, { ids, asOf: isComplete ? at : progress.asOf });
      return !isComplete;
    },
    () => [],
  );
}
