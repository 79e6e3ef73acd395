import { join } from 'node:path';
import { openRawPostgres, openRawSqlite } from '../baselines/raw-inserts.ts';
import { cpuTimeOf } from '../cpu-time.ts';
import { fire, type Round } from '../load.ts';
import { type RunningServer, withServers } from '../process.ts';
import { compared, type Figure, type Section } from '../report.ts';
import {
  CODE,
  type Program,
  prepareProgram,
  signIn,
  startExpress,
  startNodeHttp,
  startReference,
} from '../subject.ts';
import { takeTurns } from '../turns.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 7;
const AMOUNT = 40_000;
const CONNECTIONS = 64;

const EXPRESS = 'Express 5, constant answer';
const NODE_HTTP = 'node:http, constant answer';
const SQLITE = 'Affkit, SQLite';
const POSTGRES = 'Affkit, Postgres';
const RAW_SQLITE = 'two of its rows, better-sqlite3 alone';
const RAW_POSTGRES = 'two of its rows, pg alone';

interface Measured extends Round {
  /** CPU time of the server's process, and of the database's, each request. */
  readonly serverMicros: number;
  readonly databaseMicros: number;
}

/** Clicks of the reference server against servers that do nothing, and databases without one. */
export async function clicks(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  return await withServers(async (start) => {
    const amount = scaled(AMOUNT, context);
    const loaded = async (name: string, server: RunningServer, databasePid?: number) => ({
      name,
      run: () => measure(server, { amount, databasePid }),
    });
    const onSqlite = await start(startReference(`sqlite:${join(folder, 'clicks.db')}`));
    const onPostgres = await start(startReference(await postgres.createDatabase()));
    const programs = [await programOf(onSqlite), await programOf(onPostgres)];
    const rawSqlite = await openRawSqlite(join(folder, 'raw.db'));
    const rawPostgres = await openRawPostgres(await postgres.createDatabase());
    const of = await takeTurns<Measured>(
      ROUNDS,
      [
        await loaded(NODE_HTTP, await start(startNodeHttp())),
        await loaded(EXPRESS, await start(startExpress())),
        await loaded(SQLITE, onSqlite),
        await loaded(POSTGRES, onPostgres, postgres.pid),
        { name: RAW_SQLITE, run: async () => inserted(await rawSqlite.insert(amount, CONNECTIONS)) },
        { name: RAW_POSTGRES, run: async () => inserted(await rawPostgres.insert(amount, CONNECTIONS)) },
      ],
      ({ perSecond }) => `${Math.round(perSecond)}/s`,
    );
    await rawSqlite.close();
    await rawPostgres.close();
    await checkCounts(programs, amount * (ROUNDS + 1));
    return {
      id: 'clicks',
      title: 'Clicks',
      text:
        `${amount.toLocaleString('en')} clicks a round over ${CONNECTIONS} connections, ${ROUNDS} rounds in turns, the load from a process of its own on the same machine. ` +
        'Each click is durable before its reply; afterwards the service has each acknowledged one exactly once. ' +
        'The raw inserts write two of the seven rows that a click comes to, in transactions of 64, without HTTP, validation, place or device.',
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
  const round = await fire(server.url, { requests: visits(CODE), amount, connections: CONNECTIONS });
  const [server1 = 0, database1 = 0] = cpu();
  const each = (ms: number) => (ms * 1000) / round.acknowledged;
  return { ...round, serverMicros: each(server1 - server0), databaseMicros: each(database1 - database0) };
}

function inserted(perSecond: number): Measured {
  return { perSecond, acknowledged: 0, p50Ms: 0, p99Ms: 0, serverMicros: 0, databaseMicros: 0 };
}

/** A fast answer that lost a click would be no result. */
async function checkCounts(programs: readonly Program[], expected: number): Promise<void> {
  for (const program of programs) {
    const stored = await program.countClicks();
    if (stored !== expected) throw new Error(`${expected} clicks were acknowledged, ${stored} are stored`);
  }
}

function figuresOf(of: (name: string) => Measured[]): Figure[] {
  const rate = (name: string) => ({ name, unit: '/s', rounds: of(name).map((one) => one.perSecond) });
  const p99 = (name: string) => ({
    name: `p99, ${name}`,
    unit: 'ms',
    rounds: of(name).map((one) => one.p99Ms),
  });
  const cpu = (name: string) => ({
    name: `CPU time, ${name}`,
    unit: 'µs',
    rounds: of(name).map((one) => one.serverMicros + one.databaseMicros),
  });
  const enough = { least: 0.9 };
  const soon = { most: 3 };
  return [
    rate(NODE_HTTP),
    rate(EXPRESS),
    compared(rate(SQLITE), rate(EXPRESS), enough),
    compared(rate(POSTGRES), rate(EXPRESS), enough),
    compared(rate(RAW_SQLITE), rate(EXPRESS)),
    compared(rate(RAW_POSTGRES), rate(EXPRESS)),
    p99(EXPRESS),
    compared(p99(SQLITE), p99(EXPRESS), soon),
    compared(p99(POSTGRES), p99(EXPRESS), soon),
    cpu(EXPRESS),
    compared(cpu(SQLITE), cpu(EXPRESS)),
    compared(cpu(POSTGRES), cpu(EXPRESS)),
    {
      name: `CPU time, ${POSTGRES}: of the database`,
      unit: 'µs',
      rounds: of(POSTGRES).map((one) => one.databaseMicros),
    },
  ];
}
