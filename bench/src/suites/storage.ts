import pg from 'pg';
import { CONNECTIONS, createCustomers, createPrograms, sendLeads, sendSales } from '../conversion-load.ts';
import { cpuTimeOf } from '../cpu-time.ts';
import { sendRequests } from '../load.ts';
import type { Figure, Section } from '../report.ts';
import { type Program, startReference } from '../servers.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const CLICKS = 500_000;
const CONVERSIONS = 40_000;

/** The disk, log, and CPU time that have been used so far. */
interface Usage {
  readonly walBytes: number;
  /** Tables and indexes. */
  readonly dataBytes: number;
  /** Tables and indexes of clicks. Only these shrink when old clicks are removed. */
  readonly clickTableBytes: number;
  /** The tables that keep transaction ids unique, with their indexes. On a Citus cluster, the coordinator has them. */
  readonly directoryBytes: number;
  readonly serverMs: number;
  readonly databaseMs: number;
}

/** Measures how much disk, log, and CPU time one event takes on Postgres. */
export async function storage(context: Context): Promise<Section> {
  const { postgres } = context;
  const databaseUrl = await postgres.createDatabase();
  const server = await startReference(databaseUrl);
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    const [program] = await createPrograms(server, 1);
    const customers = await createCustomers(server, [program]);
    const read = () => readUsage(database, server.pid, postgres.pid);
    const clicks = scaled(CLICKS, context);
    const conversions = scaled(CONVERSIONS, context);
    const kinds = [
      { kind: 'click', amount: clicks, send: () => sendClicks(server.url, program, clicks) },
      { kind: 'sale', amount: conversions, send: () => sendSales(server, customers, 'storage', conversions) },
    ];
    const figures: Figure[] = [];
    for (const { kind, amount, send } of kinds) figures.push(...(await measure(kind, amount, send, read)));
    // Each lead needs a separate click, whose usage is subtracted.
    const clickUsage = figures.map(({ rounds }) => rounds[0] ?? Number.NaN);
    const leads = await measure(
      'lead',
      conversions,
      () => sendLeads(server, program, 'storage', conversions),
      read,
    );
    figures.push(
      ...leads.map((figure, index) => ({
        ...figure,
        rounds: figure.rounds.map((value) => value - (clickUsage[index] ?? Number.NaN)),
      })),
    );
    return {
      id: 'storage',
      title: 'Disk, log, and CPU time of an event',
      text:
        `What one event takes up on Postgres, as the mean of ${clicks.toLocaleString('en')} clicks of new visitors, and of ${conversions.toLocaleString('en')} sales and leads. ` +
        'The log contains full images of the pages that changed for the first time after a checkpoint, so it is larger with more frequent checkpoints. ' +
        'A lead is measured together with its click, whose values are subtracted.',
      figures,
    };
  } finally {
    await database.end();
    await server.stop();
  }
}

function sendClicks(url: string, { code }: Program, amount: number): Promise<unknown> {
  return sendRequests(url, { requests: visits(code), amount, connections: CONNECTIONS });
}

async function measure(
  kind: string,
  amount: number,
  send: () => Promise<unknown>,
  read: () => Promise<Usage>,
): Promise<Figure[]> {
  const before = await read();
  await send();
  const after = await read();
  const mean = (name: keyof Usage, factor: number) => [((after[name] - before[name]) * factor) / amount];
  return [
    { name: `tables and indexes of a ${kind}`, unit: 'bytes', rounds: mean('dataBytes', 1) },
    {
      name: `table of clicks and its indexes, of a ${kind}`,
      unit: 'bytes',
      rounds: mean('clickTableBytes', 1),
    },
    {
      name: `directories of transaction ids, of a ${kind}`,
      unit: 'bytes',
      rounds: mean('directoryBytes', 1),
    },
    { name: `log of a ${kind}`, unit: 'bytes', rounds: mean('walBytes', 1) },
    { name: `CPU time of a ${kind}, server`, unit: 'µs', rounds: mean('serverMs', 1000) },
    { name: `CPU time of a ${kind}, Postgres`, unit: 'µs', rounds: mean('databaseMs', 1000) },
  ];
}

async function readUsage(
  database: pg.Client,
  serverPid: number,
  databasePid: number | undefined,
): Promise<Usage> {
  // The size of a table is exact only after its pages are written.
  await database.query('CHECKPOINT');
  const { rows } = await database.query<{ wal: string; data: string; clicks: string; directories: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal, pg_database_size(current_database()) AS data,
      (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('click_events')) AS clicks,
      pg_total_relation_size('transaction_directory') + pg_total_relation_size('processor_refs') AS directories`,
  );
  return {
    walBytes: Number(rows[0]?.wal),
    dataBytes: Number(rows[0]?.data),
    clickTableBytes: Number(rows[0]?.clicks),
    directoryBytes: Number(rows[0]?.directories),
    serverMs: cpuTimeOf(serverPid) ?? Number.NaN,
    databaseMs: databasePid === undefined ? Number.NaN : (cpuTimeOf(databasePid) ?? Number.NaN),
  };
}
