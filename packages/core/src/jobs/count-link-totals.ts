import { type LinkEvents, LinkSums } from '../domain/link-totals.ts';
import { ACCOUNTS_LANE } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { LINK_EVENT_KINDS, type LinkEventIds, sumNextLinkEvents } from '../storage/reads/link-events.ts';
import {
  addLinkTotals,
  findUncountedLinkPrograms,
  listStoredSubIds,
  lockLinkTotalProgress,
  saveLinkTotalProgress,
} from '../storage/reads/link-totals.ts';

/**
 * The number of ids per kind of event. It is small because, on SQLite, counting a batch blocks the process.
 */
const LINK_TOTAL_BATCH_SIZE = 2_000;
/** The number of programs per turn. Used only on Postgres. */
const MAX_LINK_TOTAL_PROGRAMS = 50;

/**
 * Counts new events in the totals of links and sub-ids, one batch per program. The totals are stored together
 * with the progress, so each event is counted exactly once.
 * @param settled the ids up to which no new event can appear
 * @param at all events up to `settled` were stored before this time
 * @returns whether more work may be due
 */
export async function countLinkTotals(engine: Engine, settled: LinkEventIds, at: number): Promise<boolean> {
  const keys = await findUncountedLinkPrograms(engine, settled, MAX_LINK_TOTAL_PROGRAMS);
  let hasMore = keys.length === MAX_LINK_TOTAL_PROGRAMS;
  for (const key of keys) hasMore = (await countLinkTotalBatch(engine, key, settled, at)) || hasMore;
  return hasMore;
}

/** @returns whether events up to `settled` are left to count; false when another process is counting them */
function countLinkTotalBatch(
  engine: Engine,
  key: number,
  settled: LinkEventIds,
  at: number,
): Promise<boolean> {
  return engine.write(
    ACCOUNTS_LANE,
    async (tx) => {
      const progress = await lockLinkTotalProgress(tx, key);
      if (progress === null) return false;
      const events: LinkEvents[] = [];
      const ids = { ...progress.ids };
      for (const kind of LINK_EVENT_KINDS) {
        const range = { after: ids[kind], upTo: settled[kind], limit: LINK_TOTAL_BATCH_SIZE };
        const next = await sumNextLinkEvents(tx, kind, key === 0 ? null : key, range);
        ids[kind] = next.lastId;
        events.push(...next.events);
      }
      const isComplete = LINK_EVENT_KINDS.every((kind) => ids[kind] >= settled[kind]);
      const days = new Map(events.map(({ programId, day }) => [`${programId}:${day}`, { programId, day }]));
      const sums = new LinkSums(await listStoredSubIds(tx, [...days.values()]));
      for (const group of events) sums.add(group);
      await addLinkTotals(tx, sums.totals());
      await saveLinkTotalProgress(tx, key, { ids, asOf: isComplete ? at : progress.asOf });
      return !isComplete;
    },
    () => [],
  );
}
