import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { makeClickId } from '../../src/domain/click-id.ts';
import { directoryCodes } from '../../src/domain/short-link.ts';
import { deleteExpiredRows } from '../../src/jobs/expiry.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { findSettledIds } from '../../src/storage/reads/breakdown-events.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { SILENT } from '../support/silent-logger.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createCaller, makeWorld, SECRET, type World } from '../support/world.ts';

// On Citus, a batch of first visits whose links are cached runs as one statement on the shard of its program.
// Other clicks run as several statements on the coordinator.

let url: string;
let world: World;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWorld(postgresEngine({ connectionString: url }));
  // Caches the link.
  await world.click('anna');
});

afterEach(async () => {
  await world.affkit.close();
  await dropDatabase(url);
});

/** Values that escaping for SQL, arrays, or JSON must not change. */
const TEXTS = ['plain', `it's "quoted"`, 'a\\b', '{a,b}', '%s $1 {links}', 'ä\u{1F600}', `'); SELECT 'x`];

async function visit(session: string, title: string, more: Record<string, unknown> = {}): Promise<unknown> {
  const reply = await world.call('POST', '/api/v1/track/click', {
    affiliate_url: 'https://shop.example/?aff=anna',
    page_url: `https://shop.example/page?title=${encodeURIComponent(title)}`,
    page_title: title,
    session_id: session,
    ...more,
  });
  expect(reply.status).toBe(200);
  return reply.body['click_id'];
}

async function rowsOf<Row>(query: string): Promise<Row[]> {
  return (await sql.raw<Row>(query).execute(world.engine.read)).rows;
}

const countOf = async (table: string): Promise<number> => {
  const [row] = await rowsOf<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return row?.count ?? 0;
};

const sumOf = async (table: string, where: string): Promise<number> => {
  const [row] = await rowsOf<{ sum: number }>(`SELECT sum(value)::int AS sum FROM ${table} WHERE ${where}`);
  return row?.sum ?? 0;
};

/** Returns the rows of visits whose session id starts with `session`, without ids and times. */
async function storedOf(session: string): Promise<string[]> {
  const rows = await rowsOf<{ event: string; customer: string }>(
    `SELECT (to_jsonb(e) - ARRAY['id', 'customer_id', 'click_id', 'session_id', 'click_at', 'created_at'])::text AS event,
      (to_jsonb(c) - ARRAY['id', 'click_id', 'last_click_at', 'created_at'])::text AS customer
     FROM click_events AS e JOIN customers AS c ON c.program_id = e.program_id AND c.id = e.customer_id
       AND c.click_id = e.click_id
     WHERE e.session_id LIKE '${session}%'`,
  );
  return rows.map(({ event, customer }) => `${event} ${customer}`).sort();
}

test('one statement on the shard stores the same rows as several statements on the coordinator', async () => {
  const before = await countOf('shard_commit_markers');
  await Promise.all(TEXTS.map((text, index) => visit(`shard ${index}`, text)));
  for (const [index, text] of TEXTS.entries()) await visit(`shard again ${index}`, text);
  expect(await countOf('shard_commit_markers')).toBeGreaterThanOrEqual(before + TEXTS.length);

  const after = await countOf('shard_commit_markers');
  const unknown = makeClickId(world.program.id, 1, (count) => new Uint8Array(count));
  const several = { existing_click_id: unknown };
  await Promise.all(TEXTS.map((text, index) => visit(`several ${index}`, text, several)));
  for (const [index, text] of TEXTS.entries()) await visit(`several again ${index}`, text, several);
  expect(await countOf('shard_commit_markers')).toBe(after);

  const stored = await storedOf('shard');
  expect(stored).toHaveLength(2 * TEXTS.length);
  expect(await storedOf('several')).toEqual(stored);
  const all = 4 * TEXTS.length + 1;
  expect([await countOf('click_events'), await countOf('customers')]).toEqual([all, all]);
  expect(await sumOf('counters', `subject = 'link' AND measure = 'clicks'`)).toBe(all);
  expect(await sumOf('daily_totals', `partner_id = 0 AND measure = 'clicks'`)).toBe(all);
});

test('event ids increase in the order of their transactions, whether one statement or several record them', async () => {
  const unknown = makeClickId(world.program.id, 1, (count) => new Uint8Array(count));
  const recorded: unknown[] = [];
  for (const turn of [0, 1, 2, 3]) {
    recorded.push(await visit(`${turn}`, 'title', turn % 2 ? { existing_click_id: unknown } : {}));
  }
  const rows = await rowsOf<{ click_id: string }>(
    'SELECT click_id FROM click_events WHERE session_id IS NOT NULL ORDER BY id',
  );
  expect(rows.map(({ click_id }) => click_id)).toEqual(recorded);
});

test('a stored commit marker contains neither the statement that ran on the shard nor its values', async () => {
  await visit('one', 'title', { additional_data: { idempotency_key: 'key' } });
  expect(await countOf('shard_commit_markers')).toBe(
    await countOf(`shard_commit_markers WHERE statement IS NULL AND arguments IS NULL
      AND program_ids IS NULL AND customer_ids IS NULL AND event_ids IS NULL`),
  );
});

test('concurrent visits with the same idempotency key are stored once across processes', async () => {
  // These engines share no state except the database, like separate processes.
  const others = [1, 2].map(() =>
    createAffkit({
      engine: postgresEngine({ connectionString: url }),
      secret: SECRET,
      now: () => world.clock.now,
      logger: SILENT,
    }),
  );
  const callers = [world.call, ...others.map((affkit) => createCaller(affkit))];
  const replies = await Promise.all(
    Array.from({ length: 120 }, (_, index) =>
      callers[index % callers.length]?.('POST', '/api/v1/track/click', {
        affiliate_url: 'https://shop.example/?aff=anna',
        additional_data: { idempotency_key: `key ${Math.floor(index / 3)}` },
      }),
    ),
  );
  await Promise.all(others.map((affkit) => affkit.close()));
  expect(new Set(replies.map((reply) => reply?.status))).toEqual(new Set([200]));
  expect(new Set(replies.map((reply) => reply?.body['click_id'])).size).toBe(40);
  expect([await countOf('click_events'), await countOf('customers'), await countOf('click_keys')]).toEqual([
    41, 41, 40,
  ]);
  expect(await sumOf('counters', `subject = 'link' AND measure = 'clicks'`)).toBe(41);
});

test('records a visit when a worker does not know the statement', async () => {
  await world.engine.write(1, ({ db }) => sql`DELETE FROM shard_statements`.execute(db));
  // Visits with a key have their own statement, which no connection has prepared yet.
  await visit('unknown statement', 'title', { additional_data: { idempotency_key: 'first' } });
  await visit('known statement', 'title', { additional_data: { idempotency_key: 'second' } });
  expect(await countOf('click_events')).toBe(3);
  expect(await countOf('shard_statements')).toBeGreaterThan(0);
});

test('rejects a batch whose programs are on different shards', async () => {
  const [other] = await rowsOf<{ id: number }>(
    `SELECT id FROM generate_series(1, 1000) AS id
     WHERE get_shard_id_for_distribution_column('customers', id)
       <> get_shard_id_for_distribution_column('customers', ${world.program.id}) LIMIT 1`,
  );
  const insert = world.engine.write(1, ({ db }) =>
    sql`INSERT INTO shard_commit_markers (program_id, id, created_at, statement, program_ids)
      VALUES (${world.program.id}, 'wrong', 1, 'any', ${`{${world.program.id},${other?.id}}`}::bigint[])`.execute(
      db,
    ),
  );
  await expect(insert).rejects.toMatchObject({ code: 'AFK02' });
});

test('jobs wait for the batch that runs on a shard', async () => {
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  await blocker.query('BEGIN');
  await blocker.query(`SELECT 1 FROM daily_totals WHERE program_id = ${world.program.id} FOR UPDATE`);
  const visiting = visit('blocked', 'title');
  await waitUntil(
    async () =>
      (await countOf(`pg_stat_activity WHERE state = 'active' AND datname = current_database()
        AND query LIKE '%INSERT INTO shard_commit_markers%VALUES%' AND pid <> pg_backend_pid()`)) > 0,
  );
  expect(await findSettledIds(world.engine)).toBe(null);
  await blocker.query('ROLLBACK');
  await blocker.end();
  await visiting;
  const [last] = await rowsOf<{ id: number }>('SELECT max(id) AS id FROM click_events');
  expect(await findSettledIds(world.engine)).toMatchObject({ click: last?.id });
});

test('deletes expired rows of all shards, and no others', async () => {
  const now = world.clock.now;
  await visit('key', 'title', { additional_data: { idempotency_key: 'kept' } });
  await world.engine.write(1, async ({ db }) => {
    for (const program of Array.from({ length: 8 }, (_, index) => index + 100)) {
      await sql`INSERT INTO click_keys VALUES (${program}, 1, 'expired', '{}', ${now - 10_000_000_000})`.execute(
        db,
      );
      await sql`INSERT INTO click_keys VALUES (${program}, 1, 'older', '{}', ${now - 20_000_000_000})`.execute(
        db,
      );
      await sql`INSERT INTO shard_commit_markers (program_id, id, created_at) VALUES (${program}, 'old', 1)`.execute(
        db,
      );
    }
  });
  let rounds = 0;
  while ((await deleteExpiredRows(world.affkit.runtime)) && rounds < 10) rounds += 1;
  expect(await rowsOf('SELECT key FROM click_keys')).toEqual([{ key: 'kept' }]);
  expect(await countOf(`shard_commit_markers WHERE id = 'old'`)).toBe(0);
  expect(await countOf('shard_commit_markers')).toBeGreaterThan(0);
});

test('knows the shard of a link only when the link is cached', async () => {
  const engine = postgresEngine({ connectionString: url });
  expect(engine.clickShardOf(['anna'])).toBe(undefined);
  await engine.close();
  await world.click('Anna');
  expect(world.engine.clickShardOf(directoryCodes('Anna'))).toBe(world.engine.clickShardOf(['anna']));
  expect(world.engine.clickShardOf(['anna'])).toEqual(expect.any(Number));
  expect(world.engine.clickShardOf(['dora'])).toBe(undefined);
  await expect(world.click('dora')).rejects.toThrow('referral_link_not_found');
  expect(world.engine.clickShardOf(['dora'])).toBe(null);
});
