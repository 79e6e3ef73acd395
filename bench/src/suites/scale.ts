import { findFreePorts } from '../../../packages/core/test/support/free-port.ts';
import { type BenchCluster, hasCitus, type MeasuredServer, startCluster } from '../citus.ts';
import { clickRequests, runClients } from '../clients.ts';
import { cpuTimeOf } from '../cpu-time.ts';
import { type RunningServer, withServers } from '../process.ts';
import { type Figure, median, type Section, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import { type EventCost, measureEvents, toEventFigures } from '../scale-events.ts';
import { type Program, prepareProgram, requireStoredClicks, signIn, startReference } from '../servers.ts';
import { type Context, scaled } from './context.ts';

/** On a cluster, a batch contains clicks of only one shard. With few clients, the batches would be very small. */
const CLIENTS = 1_024;
/** The hash of a program's id selects its shard. With only 64 programs, one of three workers got 42 % of the clicks. */
const PROGRAMS = 256;
const SECONDS = 5;
/** The number of returning clicks, leads, and sales. */
const EVENTS = 4_000;
const ROUNDS = 5;
/** How long new servers run before the measurement. During this time, V8 compiles their code. */
const WARM_UP_SECONDS = 3;
const ONE = '1 server';
/**
 * Groups with one server first run at full load. Then all of them run at the same rate: this share of the
 * lowest rate at full load. Their CPU times per click are compared at that rate. A comparison at full load
 * would favor groups with few processes, because all processes compete for the processors and their caches.
 * Each additional process therefore increases the CPU time that a click takes in every process.
 */
const SHARE_OF_FULL_LOAD = 0.75;
const AT_SAME_RATE = 'at the same rate';
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
    const single = groups.filter(({ processes }) => processes === 1);
    let sameRate = Number.POSITIVE_INFINITY;
    const of = await runInterleaved<Measured>(
      ROUNDS,
      [
        ...groups.map((group, index) => ({
          name: group.name,
          run: async () => {
            // A new round begins.
            if (index === 0) sameRate = Number.POSITIVE_INFINITY;
            const measured = await measure(group, seconds);
            if (group.processes === 1) {
              sameRate = Math.min(sameRate, measured.perSecond * SHARE_OF_FULL_LOAD);
            }
            return measured;
          },
        })),
        ...single.map((group) => ({
          name: pacedName(group),
          run: () => measure(group, seconds, sameRate),
        })),
      ],
      ({ perSecond, nodeMicros, databaseMicros }) =>
        `${Math.round(perSecond)}/s, CPU of a click: Node ${nodeMicros.toFixed(0)} µs, Postgres ${databaseMicros.map((micros) => micros.toFixed(0)).join(' + ')} µs`,
    );
    const eventFigures: Figure[] = [];
    for (const group of single) {
      const costs = await withServersOf(group, ([server]) => measureEventsOf(group, server, context));
      eventFigures.push(...toEventFigures(group.name, costs));
    }
    return {
      id: 'scale',
      title: 'Several processes, and Citus',
      text:
        'Clicks of new visitors with several server processes on one Postgres, and on Citus clusters, with the CPU time of each process per click. All processes run on the same machine, so the rates do not show what more machines would reach. ' +
        `${PROGRAMS} programs, ${CLIENTS} clients, ${ROUNDS} alternating rounds of ${seconds} s. In each round, new server processes first run for ${WARM_UP_SECONDS} s, which are not measured. Every acknowledged click is stored once. In each round, every group with one server is also measured ${AT_SAME_RATE}, ${100 * SHARE_OF_FULL_LOAD} % of the lowest rate of these groups at full load. Then, one server sends returning clicks, leads, and sales of one program over 64 connections.`,
      figures: [
        ...groups.flatMap((group) => figuresOf(group, of)),
        ...single.flatMap((group) => figuresAtSameRate(group, of)),
        ...eventFigures,
      ],
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

function pacedName({ name }: Group): string {
  return `${name} ${AT_SAME_RATE}`;
}

/** @param perSecond a limit of the rate. @default no limit */
async function measure(group: Group, seconds: number, perSecond?: number): Promise<Measured> {
  return await withServersOf(group, async (servers) => {
    await sendClicks(group, servers, WARM_UP_SECONDS);
    const pids = [...servers, ...group.database.servers].map(({ pid }) => pid);
    const before = pids.map((pid) => cpuTimeOf(pid) ?? Number.NaN);
    const result = await sendClicks(group, servers, seconds, perSecond);
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

async function sendClicks({ name, database }: Group, servers: Servers, seconds: number, perSecond?: number) {
  const urls = servers.map(({ url }) => url);
  const options = { clients: CLIENTS, seconds, ...(perSecond !== undefined && { perSecond }) };
  const result = await runClients(urls, database.requests, options);
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
  await requireStoredClicks(await signIn(server.url), database.programs, database.acknowledged);
  const [program] = database.programs;
  if (!program) throw new Error('There is no program');
  return await measureEvents(server, database.servers, program, scaled(EVENTS, context));
}

/** Returns the rate and the CPU times per click. On a cluster, `database` is the sum of all workers. */
function costsOf(name: string, of: (name: string) => Measured[]) {
  const results = of(name);
  const servers = results[0]?.databaseMicros ?? [];
  const cpu = (process: string, rounds: number[]): Figure => ({
    name: `${name}: ${process}`,
    unit: 'µs',
    rounds,
  });
  const micros = servers.map((_, index) =>
    results.map(({ databaseMicros }) => databaseMicros[index] ?? Number.NaN),
  );
  const [first = [], ...workers] = micros;
  const sums = first.map((_, round) => workers.reduce((sum, rounds) => sum + (rounds[round] ?? 0), 0));
  const isCluster = workers.length > 0;
  return {
    rate: { name, unit: '/s', rounds: results.map(({ perSecond }) => perSecond) },
    node: cpu(
      'CPU of Node per click',
      results.map(({ nodeMicros }) => nodeMicros),
    ),
    coordinator: isCluster ? cpu('CPU of the coordinator per click', first) : undefined,
    database: cpu(`CPU of ${isCluster ? 'the workers' : 'Postgres'} per click`, isCluster ? sums : first),
    workerShares: workers.map((rounds) => median(rounds) / median(sums)),
  };
}

/**
 * Only the clusters with one server process have targets. With more server processes, the batches are smaller than in
 * the group `ONE`, so the values cannot be compared.
 */
function figuresOf({ name, processes }: Group, of: (name: string) => Measured[]): Figure[] {
  const { rate, node, coordinator, database, workerShares } = costsOf(name, of);
  if (name === ONE) return [rate, node, database];
  const one = costsOf(ONE, of);
  const targetOf = (most: number) => (coordinator !== undefined && processes === 1 ? { most } : undefined);
  const coordinatorTarget = targetOf(40);
  return [
    withRatio(rate, { ...one.rate, name: ONE }),
    withRatio(node, { ...one.node, name: ONE }, targetOf(1.2)),
    ...(coordinator ? [{ ...coordinator, ...(coordinatorTarget && { target: coordinatorTarget }) }] : []),
    withRatio(database, { ...one.database, name: ONE }, targetOf(1.5)),
    ...(workerShares.length <= 1 ? [] : shareFigures(name, workerShares)),
  ];
}

function shareFigures(name: string, shares: readonly number[]): Figure[] {
  return [
    ...shares.map((share, index) => ({
      name: `${name}: share of worker ${index + 1}`,
      unit: '%',
      rounds: [100 * share],
    })),
    {
      name: `${name}: share of the busiest worker`,
      unit: '%',
      rounds: [100 * Math.max(...shares)],
      target: { most: (100 * MAX_UNEVENNESS) / shares.length },
    },
  ];
}

function figuresAtSameRate(group: Group, of: (name: string) => Measured[]): Figure[] {
  const { rate, node, coordinator, database } = costsOf(pacedName(group), of);
  if (group.name === ONE) return [rate, node, database];
  const one = costsOf(`${ONE} ${AT_SAME_RATE}`, of);
  return [
    rate,
    withRatio(node, one.node, { most: 1.2 }),
    ...(coordinator === undefined ? [] : [coordinator]),
    withRatio(database, one.database, { most: 1.5 }),
  ];
}
