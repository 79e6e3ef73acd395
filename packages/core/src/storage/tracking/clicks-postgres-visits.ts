import type { CachedCode, CachedLinks, ClickSession, NewVisits } from '../database/click-store.ts';
import { insertMarkers } from '../database/engine/commit-markers.ts';
import { RowParameters } from '../database/row-parameters.ts';
import { sumClicks } from './clicks-counters.ts';
import {
  addCounters,
  addDays,
  CLICK_EVENT_PARAMETERS,
  COUNTER_PARAMETERS,
  DAILY_SUM_PARAMETERS,
  FROM_LINKS,
  insertEvents,
  insertKeys,
  insertVisitors,
  KEY_PARAMETERS,
  LINK_FINGERPRINT,
} from './clicks-postgres-statements.ts';

const CACHED_CODE_PARAMETERS = new RowParameters<CachedCode>({ code: 'text', fingerprint: 'text' });

/** The number of rows in each parameter list of a batch with a single visit. */
const SINGLE = { codes: 1, events: 1, counters: 2, days: 3, keys: 1 };

interface VisitKind {
  readonly isSingle: boolean;
  readonly isKeyed: boolean;
  /** Whether the statement itself must turn on `synchronous_commit`. */
  readonly isDurable: boolean;
}

const TURN_ON_DURABILITY = `RETURNING set_config('synchronous_commit', 'on', true)`;

/**
 * Builds the single statement that records first visits. It is the whole transaction. Each visit creates a customer. If
 * a cached link has changed, the statement divides by zero, so that nothing is stored. Postgres runs the parts of the
 * statement from last to first. It therefore locks rows in the same order as the separate statements of
 * `PostgresClickStore`.
 */
function recordVisits({ isSingle, isKeyed, isDurable }: VisitKind): string {
  // Parameters 1 to 3 are the commit marker, the time and the slot.
  let next = 4;
  const list = <Row extends object>(columns: RowParameters<Row>, name: string, rowCount: number) => {
    const first = next;
    next += isSingle ? columns.columnCount * rowCount : columns.columnCount;
    return isSingle ? columns.fromValues(name, first, rowCount) : columns.fromArrays(name, first);
  };
  const codes = list(CACHED_CODE_PARAMETERS, 'cached', SINGLE.codes);
  const events = list(CLICK_EVENT_PARAMETERS, 'e', SINGLE.events);
  const counters = list(COUNTER_PARAMETERS, 's', SINGLE.counters);
  const days = list(DAILY_SUM_PARAMETERS, 's', SINGLE.days);
  const claimed = isKeyed ? `, claimed AS (${insertKeys('$2', list(KEY_PARAMETERS, 'k', SINGLE.keys))})` : '';
  return `
  WITH marker AS (${insertMarkers('VALUES ($1::text)')} ${isDurable ? TURN_ON_DURABILITY : ''}),
  daily AS (${addDays('$3', days)}),
  counted AS (${addCounters('$3', counters)}),
  visits AS MATERIALIZED (
    SELECT nextval((SELECT pg_get_serial_sequence('customers', 'id')::regclass)) AS id, e.*
    FROM ${events}),
  recorded AS (${insertEvents('e.id', '$2', 'visits e')}),
  new_customers AS (${insertVisitors('$2', 'visits v')})${claimed}
  SELECT 1
  FROM ${codes}
  LEFT JOIN (SELECT d.short_link, ${LINK_FINGERPRINT} AS fingerprint ${FROM_LINKS}) AS present
    ON present.short_link = cached.code
  WHERE 1 / (present.fingerprint IS NOT DISTINCT FROM cached.fingerprint)::int = 0`;
}

const statementsOf = (isDurable: boolean) => ({
  one: {
    plain: recordVisits({ isSingle: true, isKeyed: false, isDurable }),
    keyed: recordVisits({ isSingle: true, isKeyed: true, isDurable }),
  },
  many: {
    plain: recordVisits({ isSingle: false, isKeyed: false, isDurable }),
    keyed: recordVisits({ isSingle: false, isKeyed: true, isDurable }),
  },
});
const VISIT_STATEMENTS = statementsOf(false);
const DURABLE_VISIT_STATEMENTS = statementsOf(true);

/**
 * @returns a single SQL statement that does all the work of the transaction, and its parameters. The caller adds
 * the parameter for the commit marker.
 */
export function visitStatement(
  { events, keys, now }: NewVisits,
  { codes }: CachedLinks,
  { slot, isDurableByDefault }: Pick<ClickSession, 'slot' | 'isDurableByDefault'>,
): { text: string; values: readonly unknown[] } {
  const { counters, days } = sumClicks(events);
  const isSingle =
    codes.length === SINGLE.codes &&
    events.length === SINGLE.events &&
    counters.length === SINGLE.counters &&
    days.length === SINGLE.days;
  const list = <Row extends object>(columns: RowParameters<Row>, rows: readonly Row[]): unknown[] =>
    isSingle ? columns.values(rows) : columns.arrays(rows);
  const isKeyed = keys.length > 0;
  return {
    text: (isDurableByDefault ? VISIT_STATEMENTS : DURABLE_VISIT_STATEMENTS)[isSingle ? 'one' : 'many'][
      isKeyed ? 'keyed' : 'plain'
    ],
    values: [
      now,
      slot,
      ...list(CACHED_CODE_PARAMETERS, codes),
      ...list(CLICK_EVENT_PARAMETERS, events),
      ...list(COUNTER_PARAMETERS, counters),
      ...list(DAILY_SUM_PARAMETERS, days),
      ...(isKeyed ? list(KEY_PARAMETERS, keys) : []),
    ],
  };
}
