import { createAffkit, type Engine } from '@affkit/core';
import { postgresEngine } from '@affkit/core/postgres';
import { sqliteEngine } from '@affkit/core/sqlite';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { seedEvents } from '../seed-events.ts';

/** A database to which the benchmark writes directly, without Affkit. */
export interface RawDatabase {
  /**
   * Inserts customers, each with a click, in durable transactions of `batch` clicks.
   * @returns clicks per second
   */
  insert(amount: number, batch: number): Promise<number>;
  close(): Promise<void>;
}

const CUSTOMER = ['program_id', 'click_id', 'link_id', 'status', 'last_click_at', 'created_at'];
const EVENT = [
  'program_id',
  'customer_id',
  'click_id',
  'link_id',
  'session_id',
  'page_url',
  'referrer_url',
  'geo_country',
  'device_type',
  'device_os',
  'browser_name',
  'details',
  'is_test',
  'click_at',
  'created_at',
];
const DETAILS = JSON.stringify({
  page_title: 'Landing page',
  screen_resolution: '1920x1080',
  viewport_size: '1280x720',
  language: 'en-US',
  timezone: 'Europe/Berlin',
});

export async function openRawSqlite(path: string): Promise<RawDatabase> {
  const programId = await prepare(sqliteEngine({ path }));
  const database = new BetterSqlite3(path);
  database.pragma('synchronous = FULL');
  database.pragma('wal_autocheckpoint = 8000');
  database.pragma('foreign_keys = OFF');
  const insertCustomer = database.prepare(insertOne('customers', CUSTOMER));
  const insertEvent = database.prepare(insertOne('click_events', EVENT));
  const insertBatch = database.transaction((from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const { customer, event } = rowsOf(programId, index);
      event[1] = insertCustomer.run(customer).lastInsertRowid;
      insertEvent.run(event);
    }
  });
  let done = 0;
  return {
    insert: async (amount, batch) => {
      const begin = performance.now();
      for (let end = done + amount; done < end; done += batch) insertBatch(done, Math.min(done + batch, end));
      return (amount * 1000) / (performance.now() - begin);
    },
    close: async () => {
      database.close();
    },
  };
}

export async function openRawPostgres(connectionString: string): Promise<RawDatabase> {
  const programId = await prepare(postgresEngine({ connectionString }));
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("SET synchronous_commit = on; SET session_replication_role = 'replica'");
  const insertCustomers = insertMany('customers', CUSTOMER, [
    'bigint',
    'text',
    'bigint',
    'text',
    'bigint',
    'bigint',
  ]);
  const insertEvents = insertMany('click_events', EVENT, [
    'bigint',
    'bigint',
    'text',
    'bigint',
    ...Array<string>(8).fill('text'),
    'bigint',
    'bigint',
    'bigint',
  ]);
  const insertBatch = async (from: number, to: number) => {
    const rows = Array.from({ length: to - from }, (_, index) => rowsOf(programId, from + index));
    await client.query('BEGIN');
    const { rows: made } = await client.query({
      name: 'customers',
      text: `${insertCustomers} RETURNING id`,
      values: columnsOf(rows.map(({ customer }) => customer)),
    });
    for (const [index, { id }] of made.entries()) {
      const event = rows[index]?.event;
      if (event) event[1] = id;
    }
    await client.query({
      name: 'events',
      text: insertEvents,
      values: columnsOf(rows.map(({ event }) => event)),
    });
    await client.query('COMMIT');
  };
  let done = 0;
  return {
    insert: async (amount, batch) => {
      const begin = performance.now();
      for (let end = done + amount; done < end; done += batch)
        await insertBatch(done, Math.min(done + batch, end));
      return (amount * 1000) / (performance.now() - begin);
    },
    close: () => client.end(),
  };
}

/** Creates the tables and a program. */
async function prepare(engine: Engine): Promise<number> {
  const affkit = createAffkit({ engine, secret: 'a bench secret of at least 32 characters' });
  const { programId } = await seedEvents(affkit, 0);
  await affkit.close();
  return programId;
}

function rowsOf(programId: number, index: number): { customer: unknown[]; event: unknown[] } {
  const now = Date.now();
  const clickId = `clk_${index.toString(36).padStart(33, '0')}`;
  const url = `https://shop.example/landing/${index % 40}?aff=bench&utm_source=newsletter`;
  const referrer = 'https://news.example/articles/best-shops';
  return {
    customer: [programId, clickId, 1, 'click', now, now],
    event: [
      programId,
      null,
      clickId,
      1,
      `session-${index}`,
      url,
      referrer,
      'DE',
      'desktop',
      'Windows',
      'Chrome',
      DETAILS,
      0,
      now,
      now,
    ],
  };
}

function insertOne(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

function insertMany(table: string, columns: readonly string[], types: readonly string[]): string {
  const lists = types.map((type, index) => `$${index + 1}::${type}[]`);
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${lists.join(', ')})`;
}

function columnsOf(rows: readonly unknown[][]): unknown[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}
