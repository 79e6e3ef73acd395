import { createServer } from 'node:net';
import { type BenchCluster, hasCitus, type MeasuredServer, startCluster } from '../citus.ts';
import { clickRequests, runClients } from '../clients.ts';
import { cpuTimeOf } from '../cpu-time.ts';
import { type RunningServer, withServers } from '../process.ts';
import { type Figure, median, type Section, type Target, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import { type EventCost, measureEvents, toEventFigures } from '../scale-events.ts';
import {
  type Call,
  countClicksOf,
  type Program,
  prepareProgram,
  signIn,
  startReference,
} from '../servers.ts';
import { type Context, scaled } from './context.ts';

/** On a cluster, a batch contains clicks of only one shard. With few clients, the batches would be very small. */
const CLIENTS = 1_024;
/** The hash of a program's id selects its shard. With 64 programs, one of three workers had 42 % of the clicks. */
const PROGRAMS = 256;
const SECONDS = 5;
/** The number of returning clicks, leads, and sales. */
const EVENTS = 4_000;
const ROUNDS = 5;
/** How long new servers run before they are measured, because V8 then compiles their code. */
const WARM_UP_SECONDS = 3;
const ONE = '1 server';
/** The share of the busiest worker may be at most this multiple of an equal share. */
const MAX_UNEVENNESS = 1.2;

/** A migrated database with programs. */
interface Database {
  readonly url: string;
  /** The Postgres servers. On a cluster, the first is the coordinator. */
  readonly servers: readonly MeasuredServer[];
  readonly programs: readonly Program[];
  readonly requests: readonly Buffer[];
  acknowledged: number;
}

/** Server processes that share one database. */
interface Group {
  readonly name: string;
  readonly database: Database;
  readonly processes: number;
}

interface Measured {
  readonly perSecond: number;
  /** CPU time per click of all Node processes. */
  readonly nodeMicros: number;
  /** CPU time per click of each Postgres server. */
  readonly databaseMicros: readonly number[];
}

/**
 * Measures clicks of new visitors with several processes on one Postgres database, and on Citus clusters if
 * `CITUS_BIN` is set. While a group is measured, no other Affkit servers run, because they would use CPU time.
 */
export async function scale(context: Context): Promise<Section> {
  const groups: Group[] = [];
  const clusters: BenchCluster[] = [];
  const seconds = scaled(SECONDS, context);
  try {
    const postgres = [{ name: 'Postgres', pid: context.postgres.pid ?? Number.NaN }];
    const database = await prepareDatabase('postgres', await context.postgres.createDatabase(), postgres);
    for (const processes of [1, 2, 4]) groups.push({ name: nameOf(processes), database, processes });
    for (const workers of hasCitus() ? [1, 3] : []) {
      const cluster = await startCluster(await findFreePorts(workers + 1));
      clusters.push(cluster);
      const name = `Citus with ${workers === 1 ? '1 worker' : `${workers} workers`}`;
      const onCluster = await prepareDatabase(`citus-${workers}`, cluster.url, cluster.servers);
      for (const processes of workers === 1 ? [1] : [1, 4]) {
        groups.push({ name: `${name}, ${nameOf(processes)}`, database: onCluster, processes });
      }
    }
    const of = await runInterleaved<Measured>(
      ROUNDS,
      groups.map((group) => ({ name: group.name, run: () => measure(group, seconds) })),
      ({ perSecond, nodeMicros, databaseMicros }) =>
        `${Math.round(perSecond)}/s, CPU of a click: Node ${nodeMicros.toFixed(0)} µs, Postgres ${databaseMicros.map((micros) => micros.toFixed(0)).join(' + ')} µs`,
    );
    const eventFigures: Figure[] = [];
    for (const group of groups.filter(({ processes }) => processes === 1)) {
      const costs = await withServersOf(group, ([server]) => measureEventsOf(group, server, context));
      eventFigures.push(...toEventFigures(group.name, costs));
    }
    return {
      id: 'scale',
      title: 'Several processes, and Citus',
      text:
        'Clicks of new visitors with several server processes on one Postgres, and on Citus clusters, with the CPU time of each process per click. All processes run on the same machine, so the rates do not show what more machines would reach. ' +
        `${PROGRAMS} programs, ${CLIENTS} clients, ${ROUNDS} alternating rounds of ${seconds} s, each with new server processes that first ran for ${WARM_UP_SECONDS} s. Every acknowledged click is stored once. Then, one server sends returning clicks, leads, and sales of one program over 64 connections.`,
      figures: [...groups.flatMap((group) => figuresOf(group, of)), ...eventFigures],
    };
  } finally {
    for (const cluster of clusters) cluster.delete();
  }
}

function nameOf(processes: number): string {
  return processes === 1 ? ONE : `${processes} servers`;
}

/** Creates the programs. @param name a prefix of their partner codes */
async function prepareDatabase(
  name: string,
  url: string,
  servers: readonly MeasuredServer[],
): Promise<Database> {
  return await withServers(async (start) => {
    const server = await start(startReference(url));
    const call = await signIn(server.url);
    const programs: Program[] = [];
    for (let index = 0; index < PROGRAMS; index++)
      programs.push(await prepareProgram(call, `${name}-${index}`));
    const lists = programs.map(({ code }) => clickRequests(server.url, code));
    const requests = (lists[0] ?? []).flatMap((_, index) => lists.flatMap((list) => list[index] ?? []));
    return { url, servers, programs, requests, acknowledged: 0 };
  });
}

type Servers = readonly [RunningServer, ...RunningServer[]];

async function withServersOf<T>(
  { database, processes }: Group,
  use: (servers: Servers) => Promise<T>,
): Promise<T> {
  return await withServers(async (start) => {
    const first = await start(startReference(database.url));
    const others = await Promise.all(
      Array.from({ length: processes - 1 }, () => start(startReference(database.url))),
    );
    return await use([first, ...others]);
  });
}

async function measure(group: Group, seconds: number): Promise<Measured> {
  return await withServersOf(group, async (servers) => {
    await sendClicks(group, servers, WARM_UP_SECONDS);
    const pids = [...servers, ...group.database.servers].map(({ pid }) => pid);
    const before = pids.map((pid) => cpuTimeOf(pid) ?? Number.NaN);
    const result = await sendClicks(group, servers, seconds);
    const micros = pids.map(
      (pid, index) => (((cpuTimeOf(pid) ?? Number.NaN) - (before[index] ?? 0)) * 1000) / result.acknowledged,
    );
    return {
      perSecond: result.acknowledged / result.seconds,
      nodeMicros: micros.slice(0, servers.length).reduce((sum, one) => sum + one, 0),
      databaseMicros: micros.slice(servers.length),
    };
  });
}

async function sendClicks({ name, database }: Group, servers: Servers, seconds: number) {
  const urls = servers.map(({ url }) => url);
  const result = await runClients(urls, database.requests, { clients: CLIENTS, seconds });
  if (result.faults > 0) throw new Error(`${name}: ${result.faults} faults`);
  database.acknowledged += result.acknowledged;
  return result;
}

/** Checks the number of clicks, and then measures other events. */
async function measureEventsOf(
  group: Group,
  server: RunningServer,
  context: Context,
): Promise<readonly EventCost[]> {
  const { database } = group;
  await checkCount(group, await signIn(server.url));
  const [program] = database.programs;
  if (!program) throw new Error('There is no program');
  return await measureEvents(server, database.servers, program, scaled(EVENTS, context));
}

/** Checks that every acknowledged click is stored exactly once. */
async function checkCount({ name, database }: Group, call: Call): Promise<void> {
  const counts = await Promise.all(database.programs.map(({ id }) => countClicksOf(call, id)));
  const stored = counts.reduce((sum, count) => sum + count, 0);
  if (stored !== database.acknowledged) {
    throw new Error(`${name}: ${database.acknowledged} clicks were acknowledged, ${stored} are stored`);
  }
}

function figuresOf({ name, database }: Group, of: (name: string) => Measured[]): Figure[] {
  const one = of(ONE);
  const rate = { name, unit: '/s', rounds: of(name).map(({ perSecond }) => perSecond) };
  const cpu = (process: string, rounds: number[]) => ({ name: `${name}: ${process}`, unit: 'µs', rounds });
  const node = cpu(
    'CPU of Node per click',
    of(name).map(({ nodeMicros }) => nodeMicros),
  );
  const oneNode = { name: ONE, rounds: one.map(({ nodeMicros }) => nodeMicros) };
  const oneDatabase = { name: ONE, rounds: one.map(({ databaseMicros }) => databaseMicros[0] ?? Number.NaN) };
  const micros = database.servers.map((_, index) =>
    of(name).map(({ databaseMicros }) => databaseMicros[index] ?? Number.NaN),
  );
  const [coordinator = [], ...workers] = micros;
  if (workers.length === 0) {
    const database = cpu('CPU of Postgres per click', coordinator);
    if (name === ONE) return [rate, node, database];
    return [
      withRatio(rate, { name: ONE, rounds: one.map(({ perSecond }) => perSecond) }),
      withRatio(node, oneNode),
      withRatio(database, oneDatabase),
    ];
  }
  const sum = coordinator.map((_, round) => workers.reduce((all, rounds) => all + (rounds[round] ?? 0), 0));
  const shares = workers.map((rounds) => median(rounds) / median(sum));
  return [
    withRatio(rate, { name: ONE, rounds: one.map(({ perSecond }) => perSecond) }),
    withRatio(node, oneNode, targetOf(name, { most: 1.2 })),
    { ...cpu('CPU of the coordinator per click', coordinator), ...targeted(name, { most: 40 }) },
    withRatio(cpu('CPU of the workers per click', sum), oneDatabase, targetOf(name, { most: 1.5 })),
    ...(workers.length === 1
      ? []
      : [
          ...shares.map((share, index) => ({
            name: `${name}: share of worker ${index + 1}`,
            unit: '%',
            rounds: [100 * share],
          })),
          {
            name: `${name}: share of the busiest worker`,
            unit: '%',
            rounds: [100 * Math.max(...shares)],
            target: { most: (100 * MAX_UNEVENNESS) / workers.length },
          },
        ]),
  ];
}

/**
 * Returns the target only for one server process. With more processes, batches are smaller than those of `ONE`, so the
 * values cannot be compared.
 */
function targetOf(name: string, target: Target): Target | undefined {
  return name.endsWith(ONE) ? target : undefined;
}

function targeted(name: string, target: Target): { target?: Target } {
  const found = targetOf(name, target);
  return found ? { target: found } : {};
}

async function findFreePorts(count: number): Promise<[number, ...number[]]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no port');
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const [first, ...others] = ports;
  if (first === undefined) throw new Error('At least one port is needed');
  return [first, ...others];
}
