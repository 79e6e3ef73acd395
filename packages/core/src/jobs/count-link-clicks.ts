import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { countNextClicks, findUncountedClicks } from '../storage/reads/link-clicks.ts';

/** The number of clicks in a batch. It is small because, on SQLite, counting a batch blocks the process. */
const LINK_CLICK_BATCH_SIZE = 5_000;
/** The maximum number of programs that one call of the job handles. Used only on Postgres. */
const MAX_LINK_CLICK_PROGRAMS = 50;

/**
 * Counts the daily clicks of links up to a click id, in one batch per program.
 * @param upTo the last click id to count. The caller must ensure that no new click can get this id or a lower one
 * @param at a time; no click that was stored before this time has an id above `upTo`
 * @returns whether more work may be due
 */
export async function countLinkClicks(engine: Engine, upTo: number, at: number): Promise<boolean> {
  const keys = await findUncountedClicks(engine, upTo, MAX_LINK_CLICK_PROGRAMS);
  let hasMore = keys.length === MAX_LINK_CLICK_PROGRAMS;
  for (const key of keys) {
    const isBehind = await engine.write(
      SERVICE_LANE,
      (tx) => countNextClicks(tx, key, { upTo, limit: LINK_CLICK_BATCH_SIZE, at }),
      () => [],
    );
    hasMore ||= isBehind;
  }
  return hasMore;
}
