import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Writes the rows of `query` one by one. On Citus, a trigger runs on a worker. There, a statement fails if it uses both
 * a transition table and a distributed table. A statement succeeds if it writes only one row, and this row belongs to
 * the same program as the rows that fired the trigger.
 */
function forEachRow(query: string, statement: string): string {
  return `FOR delta IN ${query} LOOP ${statement}; END LOOP;`;
}

/** @param query selects the deltas in the order of the key, so that concurrent transactions cannot deadlock */
function addRows(table: string, key: readonly string[], sums: readonly string[], query: string): string {
  const columns = [...key, ...sums];
  return forEachRow(
    query,
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `delta.${column}`).join(', ')})
      ON CONFLICT (${key.join(', ')}) DO UPDATE SET
      ${sums.map((sum) => `${sum} = ${table}.${sum} + excluded.${sum}`).join(', ')}`,
  );
}

function sumsOf(sums: readonly string[]): { readonly selected: string; readonly anyChanged: string } {
  return {
    selected: sums.map((sum) => `SUM(${sum}) AS ${sum}`).join(', '),
    anyChanged: sums.map((sum) => `SUM(${sum}) <> 0`).join(' OR '),
  };
}

const AMOUNTS = ['amount_cents', 'deducted_cents', 'adjusted_cents'];

function countCommissions(...sources: readonly (readonly [table: string, sign: 1 | -1])[]): string {
  const sums = ['commissions', ...AMOUNTS];
  const deltas = sources.map(
    ([table, sign]) => `SELECT program_id, partner_id, commission_at / 86400000 AS day, status, currency,
      ${sign} AS commissions, ${AMOUNTS.map((sum) => `${sign} * ${sum} AS ${sum}`).join(', ')} FROM ${table}`,
  );
  const { selected, anyChanged } = sumsOf(sums);
  return addRows(
    'commission_totals',
    ['program_id', 'partner_id', 'day', 'status', 'currency'],
    sums,
    `SELECT program_id, partner_id * is_partner AS partner_id, day, status, currency, ${selected}
      FROM (${deltas.join(' UNION ALL ')}) AS deltas CROSS JOIN (VALUES (0), (1)) AS owners (is_partner)
      GROUP BY 1, 2, 3, 4, 5 HAVING ${anyChanged} ORDER BY 1, 2, 3, 4, 5`,
  );
}

/** The release day of commissions that become payable only when a user approves them. */
const NEVER = 2_147_483_647;

function holdCommissions(...sources: readonly (readonly [table: string, sign: 1 | -1])[]): string {
  const deltas = sources.map(
    ([table, sign]) => `SELECT program_id, partner_id, currency,
      CASE WHEN needs_approval = 1 THEN ${NEVER} ELSE releasable_at / 86400000 END AS release_day,
      ${sign} * (amount_cents - deducted_cents + adjusted_cents) AS cents FROM ${table}
      WHERE payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL AND approved_at IS NULL AND disputed = 0`,
  );
  return addRows(
    'held_totals',
    ['program_id', 'partner_id', 'release_day', 'currency'],
    ['cents'],
    `SELECT program_id, partner_id, release_day, currency, SUM(cents) AS cents
      FROM (${deltas.join(' UNION ALL ')}) AS deltas
      GROUP BY 1, 2, 3, 4 HAVING SUM(cents) <> 0 ORDER BY 1, 2, 3, 4`,
  );
}

const PERIOD_KEY = ['program_id', 'owner', 'measure', 'owner_id', 'period'];

/**
 * Adds the clicks of links, then those of their partners, each in the order of the key. `link_clicks` contains
 * no partner, so the partner of each link is read from `links`.
 */
function addLinkClicks(...sources: readonly (readonly [table: string, sign: 1 | -1])[]): string {
  const deltas = sources.map(
    ([table, sign]) =>
      `SELECT program_id, link_id, day / 28 AS period, ${sign} * clicks AS value FROM ${table}`,
  );
  const clicks = `SELECT program_id, link_id, period, SUM(value) AS value
    FROM (${deltas.join(' UNION ALL ')}) AS deltas GROUP BY 1, 2, 3 HAVING SUM(value) <> 0 ORDER BY 1, 2, 3`;
  const ofPartners = `SELECT (added).program_id, 'partner' AS owner, 'clicks' AS measure,
      (added).owner_id, (added).period, SUM((added).value) AS value
    FROM unnest(partners) AS added GROUP BY 1, 2, 3, 4, 5 HAVING SUM((added).value) <> 0 ORDER BY 1, 4, 5`;
  return `${forEachRow(
    clicks,
    `INSERT INTO period_totals (${PERIOD_KEY.join(', ')}, value)
      VALUES (delta.program_id, 'link', 'clicks', delta.link_id, delta.period, delta.value)
      ON CONFLICT (${PERIOD_KEY.join(', ')}) DO UPDATE SET value = period_totals.value + excluded.value;
    SELECT links.partner_id INTO partner FROM links
      WHERE links.program_id = delta.program_id AND links.id = delta.link_id;
    IF partner IS NOT NULL THEN
      partners := partners || (delta.program_id, 'partner', 'clicks', partner, delta.period, delta.value)::period_totals;
    END IF`,
  )} ${addRows('period_totals', PERIOD_KEY, ['value'], ofPartners)}`;
}

const replace = (name: string, body: string, variables = '') =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$ DECLARE delta RECORD; ${variables} BEGIN ${body} RETURN NULL; END $$`;

const LINK_VARIABLES = `partner BIGINT; partners period_totals[] := '{}';`;

/** Makes the triggers of totals run on the workers of a Citus cluster. Their results do not change. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  if (dialect !== 'postgres') return;
  await runMigrationStatements(db, dialect, [
    replace('affkit_count_commissions', countCommissions(['changed_to', 1])),
    replace('affkit_recount_commissions', countCommissions(['changed_from', -1], ['changed_to', 1])),
    replace('affkit_hold_commissions', holdCommissions(['changed_to', 1])),
    replace('affkit_release_commissions', holdCommissions(['changed_from', -1], ['changed_to', 1])),
    replace('affkit_add_link_clicks', addLinkClicks(['changed_to', 1]), LINK_VARIABLES),
    replace(
      'affkit_change_link_clicks',
      addLinkClicks(['changed_from', -1], ['changed_to', 1]),
      LINK_VARIABLES,
    ),
  ]);
}
