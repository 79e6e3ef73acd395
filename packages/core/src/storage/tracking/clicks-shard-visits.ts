import { hash } from 'node:crypto';
import type { CachedLinks, NewVisits } from '../database/click-store.ts';
import { MARKED_AT } from '../database/engine/commit-markers.ts';
import { arrayText, RowParameters } from '../database/row-parameters.ts';
import { sumClicks } from './clicks-counters.ts';
import {
  addCounters,
  addDays,
  CLICK_EVENT_PARAMETERS,
  COUNTER_PARAMETERS,
  DAILY_SUM_PARAMETERS,
  insertEvents,
  insertKeys,
  insertVisitors,
  joinLinkRules,
  KEY_PARAMETERS,
  LINK_FINGERPRINT,
  type NameOf,
  NEW_VISIT_PARAMETERS,
} from './clicks-postgres-statements.ts';

/** A cached link. A shard cannot read the link directory, so the link is found by its id. */
interface CachedLink {
  readonly programId: number;
  readonly linkId: number;
  readonly fingerprint: string;
}

const CACHED_LINK_PARAMETERS = new RowParameters<CachedLink>({
  programId: 'bigint',
  linkId: 'bigint',
  fingerprint: 'text',
});

const nameOf: NameOf = (table) => `{${table}}`;

/** A statement that is stored in `shard_statements`. */
interface ShardStatement {
  readonly id: string;
  readonly types: string;
  readonly text: string;
}

/**
 * Builds the statement that records first visits on a shard. It consists of the same parts as the statement of
 * `recordVisits`, but the ids are parameters. A trigger runs the statement when the commit marker is inserted.
 */
function recordVisitsOnShard({ isKeyed }: { isKeyed: boolean }): ShardStatement {
  const types: string[] = [];
  const list = <Row extends object>(columns: RowParameters<Row>, name: string) => {
    const fromItem = columns.fromArrays(name, types.length + 1);
    types.push(...columns.arrayTypes);
    return fromItem;
  };
  // The trigger passes the ids as the first two parameters.
  const events = list(NEW_VISIT_PARAMETERS, 'e');
  const now = `$${types.push('bigint')}`;
  const slot = `$${types.push('bigint')}`;
  const links = list(CACHED_LINK_PARAMETERS, 'cached');
  const counters = list(COUNTER_PARAMETERS, 's');
  const days = list(DAILY_SUM_PARAMETERS, 's');
  const claimed = isKeyed ? `, claimed AS (${insertKeys(now, list(KEY_PARAMETERS, 'k'), nameOf)})` : '';
  const text = `
  WITH daily AS (${addDays(slot, days, nameOf)}),
  counted AS (${addCounters(slot, counters, nameOf)}),
  visits AS MATERIALIZED (SELECT e.* FROM ${events}),
  recorded AS (${insertEvents('e.id', now, 'visits e', { nameOf, id: 'e."eventId"' })}),
  new_customers AS (${insertVisitors(now, 'visits v', nameOf)})${claimed}
  SELECT 1
  FROM ${links}
  LEFT JOIN (
    SELECT l.program_id, l.id, ${LINK_FINGERPRINT} AS fingerprint
    FROM ${nameOf('links')} l ${joinLinkRules(nameOf)}) AS present
    ON present.program_id = cached."programId" AND present.id = cached."linkId"
  WHERE 1 / (present.fingerprint IS NOT DISTINCT FROM cached.fingerprint)::int = 0`;
  const id = hash('sha256', `${types}:${text}`).slice(0, 16);
  return { id, types: types.join(', '), text };
}

const PLAIN = recordVisitsOnShard({ isKeyed: false });
const KEYED = recordVisitsOnShard({ isKeyed: true });

/** Lists the ids of the statements that are not stored yet. */
export const SELECT_UNREGISTERED = `
  SELECT id FROM (VALUES ('${PLAIN.id}'), ('${KEYED.id}')) AS named (id)
  WHERE NOT EXISTS (SELECT FROM shard_statements AS stored WHERE stored.id = named.id)`;

/**
 * Stores the statements, so that the shards can run them. Each id is a hash of its statement, so that versions of the
 * service with different statements can run at the same time.
 */
export const REGISTER_SHARD_STATEMENTS = `
  INSERT INTO shard_statements (id, types, text)
  VALUES ${[PLAIN, KEYED].map(({ id, types, text }) => `('${id}', '${types}', '${text.replaceAll("'", "''")}')`).join(', ')}
  ON CONFLICT (id) DO NOTHING`;

const INSERT_COMMIT = `
  INSERT INTO shard_commit_markers
    (id, program_id, created_at, statement, arguments, program_ids, customer_ids, event_ids)
  VALUES ($1::text, $2::bigint, ${MARKED_AT}, $3::text, $4::text[], $5::bigint[],
    affkit_next_ids('customers', $6::int), affkit_next_ids('click_events', $6::int))`;

/**
 * Returns the single statement that records first visits on a cluster, and its values except for the commit marker. The
 * statement is the whole transaction. All programs must be on one shard.
 */
export function shardVisitStatement(
  { events, keys, now }: NewVisits,
  { codes, links: cachedLinks }: CachedLinks,
  slot: number,
): { text: string; values: readonly unknown[]; programId: number } {
  const fingerprints = codes.flatMap(({ fingerprint }) => (fingerprint === null ? [] : [fingerprint]));
  const links = cachedLinks.map(({ programId, linkId }, index) => ({
    programId,
    linkId,
    fingerprint: fingerprints[index] ?? '',
  }));
  const programIds = [...new Set(links.map(({ programId }) => programId))];
  const [programId] = programIds;
  if (programId === undefined) throw new Error('The batch contains no link');
  const { counters, days } = sumClicks(events);
  const isKeyed = keys.length > 0;
  const parameters = [
    ...CLICK_EVENT_PARAMETERS.arrays(events),
    now,
    slot,
    ...CACHED_LINK_PARAMETERS.arrays(links),
    ...COUNTER_PARAMETERS.arrays(counters),
    ...DAILY_SUM_PARAMETERS.arrays(days),
    ...(isKeyed ? KEY_PARAMETERS.arrays(keys) : []),
  ];
  const statement = isKeyed ? KEYED : PLAIN;
  return {
    text: INSERT_COMMIT,
    values: [programId, statement.id, arrayText(parameters), arrayText(programIds), events.length],
    programId,
  };
}
