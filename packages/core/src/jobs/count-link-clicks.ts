import { ACCOUNTS_LANE } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { countNextClicks, findUncountedClicks } from '../storage/reads/link-clicks.ts';

/** The number of clicks in a batch. It is small because, on SQLite, counting a batch blocks the process. */
const LINK_CLICK_BATCH_SIZE = 5_000;
/** The maximum number of programs that one call of the job handles. Used only on Postgres. */
const MAX_LINK_CLICK_PROGRAMS = 50;

/**
 * Counts the daily clicks of links up to a click id, in one batch per program.
 * @param upTo a click id; the caller must ensure that no further click with an id up to this one can be stored
 * @param at a time; all clicks that were stored before this time have ids up to `upTo`
 * @returns whether more work may be due
 */
export async function countLinkClicks(engine: Engine, upTo: number, at: number): Promise<boolean> {
  const keys = await findUncountedClicks(engine, upTo, MAX_LINK_CLICK_PROGRAMS);
  let hasMore = keys.length === MAX_LINK_CLICK_PROGRAMS;
  for (const key of keys) {
    const isBehind = await engine.write(
      ACCOUNTS_LANE,
      (tx) => countNextClicks(tx, key, { upTo, limit: LINK_CLICK_BATCH_SIZE, at }),
      () => [],
    );
    hasMore ||= isBehind;
  }
  return hasMore;
}
