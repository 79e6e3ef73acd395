import { join } from 'node:path';
import { openRawPostgres, openRawSqlite } from '../baselines/raw-inserts.ts';
import { cpuTimeOf } from '../cpu-time.ts';
import { type LoadResult, sendRequests } from '../load.ts';
import { type RunningServer, withServers } from '../process.ts';
import { type Figure, type Section, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import {
  PARTNER_CODE,
  type Program,
  prepareProgram,
  signIn,
  startExpress,
  startNodeHttp,
  startReference,
} from '../servers.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 7;
const AMOUNT = 40_000;
const CONNECTIONS = 64;

const EXPRESS = 'Express 5 (constant answer)';
const NODE_HTTP = 'node:http (constant answer)';
const SQLITE = 'Affkit, SQLite';
const POSTGRES = 'Affkit, Postgres';
const RAW_SQLITE = 'raw inserts, better-sqlite3';
const RAW_POSTGRES = 'raw inserts, pg';

interface Measured extends LoadResult {
  /** CPU time per request, of the server process and of the database processes. */
  readonly serverMicros: number;
  readonly databaseMicros: number;
}

/** Compares clicks on the reference server with trivial servers and with raw database inserts. */
export async function clicks(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  return await withServers(async (start) => {
    const amount = scaled(AMOUNT, context);
    const candidate = async (name: string, server: RunningServer, databasePid?: number) => ({
      name,
      run: () => measure(server, { amount, databasePid }),
    });
    const onSqlite = await start(startReference(`sqlite:${join(folder, 'clicks.db')}`));
    const onPostgres = await start(startReference(await postgres.createDatabase()));
    const programs = [await programOf(onSqlite), await programOf(onPostgres)];
    const rawSqlite = await openRawSqlite(join(folder, 'raw.db'));
    const rawPostgres = await openRawPostgres(await postgres.createDatabase());
    const of = await runInterleaved<Measured>(
      ROUNDS,
      [
        await candidate(NODE_HTTP, await start(startNodeHttp())),
        await candidate(EXPRESS, await start(startExpress())),
        await candidate(SQLITE, onSqlite),
        await candidate(POSTGRES, onPostgres, postgres.pid),
        { name: RAW_SQLITE, run: async () => inserted(await rawSqlite.insert(amount, CONNECTIONS)) },
        { name: RAW_POSTGRES, run: async () => inserted(await rawPostgres.insert(amount, CONNECTIONS)) },
      ],
      ({ perSecond }) => `${Math.round(perSecond)}/s`,
    );
    await rawSqlite.close();
    await rawPostgres.close();
    for (const program of programs) await program.requireClicks(amount * (ROUNDS + 1));
    return {
      id: 'clicks',
      title: 'Clicks',
      text:
        'Clicks per second of the server, compared with an Express route that parses the same body, stores nothing, and returns a constant. A ratio above 1 means that Affkit is faster. ' +
        'Every click is durable before its response. For comparison, the raw inserts write only two of the seven rows that a click needs, in transactions of 64 clicks, without HTTP. ' +
        `Another process on the same machine sends ${ROUNDS} alternating rounds of ${amount.toLocaleString('en')} clicks over ${CONNECTIONS} connections.`,
      figures: figuresOf(of),
    };
  });
}

async function programOf(server: RunningServer): Promise<Program> {
  return await prepareProgram(await signIn(server.url));
}

async function measure(
  server: RunningServer,
  { amount, databasePid }: { amount: number; databasePid: number | undefined },
): Promise<Measured> {
  const cpu = () => [
    cpuTimeOf(server.pid) ?? Number.NaN,
    databasePid === undefined ? 0 : (cpuTimeOf(databasePid) ?? Number.NaN),
  ];
  const [server0 = 0, database0 = 0] = cpu();
  const round = await sendRequests(server.url, {
    requests: visits(PARTNER_CODE),
    amount,
    connections: CONNECTIONS,
  });
  const [server1 = 0, database1 = 0] = cpu();
  const each = (ms: number) => (ms * 1000) / round.acknowledged;
  return { ...round, serverMicros: each(server1 - server0), databaseMicros: each(database1 - database0) };
}

function inserted(perSecond: number): Measured {
  return { perSecond, acknowledged: 0, p50Ms: 0, p99Ms: 0, serverMicros: 0, databaseMicros: 0 };
}

function figuresOf(of: (name: string) => Measured[]): Figure[] {
  const rate = (name: string) => ({ name, unit: '/s', rounds: of(name).map((one) => one.perSecond) });
  const p99 = (name: string) => ({
    name: `${name}: p99`,
    unit: 'ms',
    rounds: of(name).map((one) => one.p99Ms),
  });
  const cpu = (name: string) => ({
    name: `${name}: CPU time`,
    unit: 'µs',
    rounds: of(name).map((one) => one.serverMicros + one.databaseMicros),
  });
  const enough = { least: 0.9 };
  const soon = { most: 3 };
  return [
    rate(NODE_HTTP),
    rate(EXPRESS),
    withRatio(rate(SQLITE), rate(EXPRESS), enough),
    withRatio(rate(POSTGRES), rate(EXPRESS), enough),
    withRatio(rate(RAW_SQLITE), rate(EXPRESS)),
    withRatio(rate(RAW_POSTGRES), rate(EXPRESS)),
    p99(EXPRESS),
    withRatio(p99(SQLITE), p99(EXPRESS), soon),
    withRatio(p99(POSTGRES), p99(EXPRESS), soon),
    cpu(EXPRESS),
    withRatio(cpu(SQLITE), cpu(EXPRESS)),
    withRatio(cpu(POSTGRES), cpu(EXPRESS)),
    {
      name: `${POSTGRES}: CPU time of the database`,
      unit: 'µs',
      rounds: of(POSTGRES).map((one) => one.databaseMicros),
    },
  ];
}
