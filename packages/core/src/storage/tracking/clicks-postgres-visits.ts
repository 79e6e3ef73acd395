import type { CachedCode, CachedLinks, NewVisits } from '../database/click-store.ts';
import { insertMarkers } from '../database/engine/commit-markers.ts';
import { RowParameters } from '../database/row-parameters.ts';
import { sumClicks } from './clicks-counters.ts';
import {
  addCounters,
  addDays,
  COUNTERS,
  DAYS,
  EVENTS,
  FINGERPRINT,
  insertEvents,
  insertKeys,
  KEYS,
  LINKS,
} from './clicks-postgres-statements.ts';

const CODES = new RowParameters<CachedCode>({ shortLink: 'text', fingerprint: 'text' });

/** How many rows a visit alone has of each list. */
const ALONE = { codes: 1, events: 1, counters: 2, days: 3, keys: 1 };

/**
 * A whole transaction: visits of people who are new, each with a customer of its own. Divides by zero, so that nothing
 * is stored, unless every link is as it is remembered. Postgres runs its parts from the last to the first, so that it locks
 * rows in the order in which several statements do.
 */
function recordVisits({ isAlone, isKeyed }: { isAlone: boolean; isKeyed: boolean }): string {
  // Behind the marker, the time, and the slot.
  let next = 4;
  const list = <Row extends object>(columns: RowParameters<Row>, name: string, rowCount: number) => {
    const first = next;
    next += isAlone ? columns.columnCount * rowCount : columns.columnCount;
    return isAlone ? columns.asValues(name, first, rowCount) : columns.asArrays(name, first);
  };
  const codes = list(CODES, 'remembered', ALONE.codes);
  const events = list(EVENTS, 'e', ALONE.events);
  const counters = list(COUNTERS, 's', ALONE.counters);
  const days = list(DAYS, 's', ALONE.days);
  const claimed = isKeyed ? `, claimed AS (${insertKeys('$2', list(KEYS, 'k', ALONE.keys))})` : '';
  return `
  WITH marker AS (${insertMarkers('VALUES ($1::text)')}),
  totalled AS (${addDays('$3', days)}),
  counted AS (${addCounters('$3', counters)}),
  visits AS MATERIALIZED (
    SELECT nextval((SELECT pg_get_serial_sequence('customers', 'id')::regclass)) AS id, e.*
    FROM ${events}),
  recorded AS (${insertEvents('e.id', '$2', 'visits e')}),
  made AS (
    INSERT INTO customers (program_id, id, click_id, partner_id, link_id, status, last_click_at, created_at)
    SELECT v."programId", v.id, v."clickId", v."partnerId", v."linkId", 'click', v.at, $2::bigint
    FROM visits v)${claimed}
  SELECT 1
  FROM ${codes}
  LEFT JOIN (SELECT d.short_link, ${FINGERPRINT} AS fingerprint ${LINKS}) AS present
    ON present.short_link = remembered."shortLink"
  WHERE 1 / (present.fingerprint IS NOT DISTINCT FROM remembered.fingerprint)::int = 0`;
}

const STATEMENTS = {
  one: {
    plain: recordVisits({ isAlone: true, isKeyed: false }),
    keyed: recordVisits({ isAlone: true, isKeyed: true }),
  },
  many: {
    plain: recordVisits({ isAlone: false, isKeyed: false }),
    keyed: recordVisits({ isAlone: false, isKeyed: true }),
  },
};

/** @returns the statement that is all of the transaction, and its values behind the marker of the commit */
export function visitStatement(
  { events, keys, now }: NewVisits,
  { codes }: CachedLinks,
  slot: number,
): { text: string; values: readonly unknown[] } {
  const { counters, days } = sumClicks(events);
  const isAlone =
    codes.length === ALONE.codes &&
    events.length === ALONE.events &&
    counters.length === ALONE.counters &&
    days.length === ALONE.days;
  const list = <Row extends object>(columns: RowParameters<Row>, rows: readonly Row[]): unknown[] =>
    isAlone ? columns.values(rows) : columns.arrays(rows);
  const isKeyed = keys.length > 0;
  return {
    text: STATEMENTS[isAlone ? 'one' : 'many'][isKeyed ? 'keyed' : 'plain'],
    values: [
      now,
      slot,
      ...list(CODES, codes),
      ...list(EVENTS, events),
      ...list(COUNTERS, counters),
      ...list(DAYS, days),
      ...(isKeyed ? list(KEYS, keys) : []),
    ],
  };
}
