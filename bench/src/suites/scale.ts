import { createServer } from 'node:net';
import { type BenchCluster, hasCitus, type MeasuredServer, startCluster } from '../citus.ts';
import { clickRequests, runClients } from '../clients.ts';
import { cpuTimeOf } from '../cpu-time.ts';
import type { RunningServer } from '../process.ts';
import { type Figure, median, type Section, type Target, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import { measureEvents, toEventFigures } from '../scale-events.ts';
import { type Program, prepareProgram, signIn, startReference } from '../servers.ts';
import { type Context, scaled } from './context.ts';

const CLIENTS = 256;
/** Enough that the hashes of their ids use all shards. */
const PROGRAMS = 64;
const SECONDS = 5;
/** The number of returning clicks, leads, and sales. */
const EVENTS = 4_000;
const ROUNDS = 5;
const ONE = '1 server';
/** How much more than an equal share one worker may take. */
const MAX_UNEVENNESS = 1.2;

/** Servers that share a database. */
interface Group {
  readonly name: string;
  readonly servers: readonly RunningServer[];
  readonly programs: readonly Program[];
  readonly requests: readonly Buffer[];
  /** The Postgres servers. On a cluster, the first is the coordinator. */
  readonly databases: readonly MeasuredServer[];
  acknowledged: number;
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
 * `CITUS_BIN` is set.
 */
export async function scale(context: Context): Promise<Section> {
  const groups: Group[] = [];
  const clusters: BenchCluster[] = [];
  const seconds = scaled(SECONDS, context);
  try {
    for (const count of [1, 2, 4]) groups.push(await startOnPostgres(context, count));
    for (const workers of hasCitus() ? [1, 3] : []) {
      const cluster = await startCluster(await findFreePorts(workers + 1));
      clusters.push(cluster);
      for (const count of workers === 1 ? [1] : [1, 4]) {
        const name = `Citus with ${workers === 1 ? '1 worker' : `${workers} workers`}, ${nameOf(count)}`;
        groups.push(await startGroup(name, cluster.url, cluster.servers, count));
      }
    }
    const of = await runInterleaved<Measured>(
      ROUNDS,
      groups.map((group) => ({ name: group.name, run: () => measure(group, seconds) })),
      ({ perSecond, nodeMicros, databaseMicros }) =>
        `${Math.round(perSecond)}/s, CPU of a click: Node ${nodeMicros.toFixed(0)} µs, Postgres ${databaseMicros.map((micros) => micros.toFixed(0)).join(' + ')} µs`,
    );
    for (const group of groups) await checkCount(group);
    const eventFigures: Figure[] = [];
    for (const { name, servers, databases, programs } of groups) {
      const [server, ...others] = servers;
      const [program] = programs;
      if (!server || !program || others.length > 0) continue;
      const costs = await measureEvents(server, databases, program, scaled(EVENTS, context));
      eventFigures.push(...toEventFigures(name, costs));
    }
    return {
      id: 'scale',
      title: 'Several processes, and Citus',
      text:
        'Clicks of new visitors with several server processes on one Postgres, and on Citus clusters, with the CPU time of each process per click. All processes run on the same machine, so the rates do not show what more machines would reach. ' +
        `${PROGRAMS} programs, ${CLIENTS} clients, ${ROUNDS} alternating rounds of ${seconds} s. Every acknowledged click is stored once. Then, one server sends returning clicks, leads, and sales of one program over 64 connections.`,
      figures: [...groups.flatMap((group) => figuresOf(group, of)), ...eventFigures],
    };
  } finally {
    for (const { servers } of groups) await Promise.all(servers.map((server) => server.stop()));
    for (const cluster of clusters) cluster.delete();
  }
}

function nameOf(count: number): string {
  return count === 1 ? ONE : `${count} servers`;
}

async function startOnPostgres({ postgres }: Context, count: number): Promise<Group> {
  const pid = postgres.pid ?? Number.NaN;
  return await startGroup(nameOf(count), await postgres.createDatabase(), [{ name: 'Postgres', pid }], count);
}

async function startGroup(
  name: string,
  databaseUrl: string,
  databases: readonly MeasuredServer[],
  count: number,
): Promise<Group> {
  const first = await startReference(databaseUrl);
  const others = await Promise.all(Array.from({ length: count - 1 }, () => startReference(databaseUrl)));
  const call = await signIn(first.url);
  const programs: Program[] = [];
  for (let index = 0; index < PROGRAMS; index++) {
    programs.push(await prepareProgram(call, `${name.replaceAll(/\W+/g, '-').toLowerCase()}-${index}`));
  }
  const lists = programs.map(({ code }) => clickRequests(first.url, code));
  const requests = (lists[0] ?? []).flatMap((_, index) => lists.flatMap((list) => list[index] ?? []));
  return { name, servers: [first, ...others], programs, requests, databases, acknowledged: 0 };
}

async function measure(group: Group, seconds: number): Promise<Measured> {
  const { servers, databases, requests } = group;
  const before = [...servers, ...databases].map(({ pid }) => cpuTimeOf(pid) ?? Number.NaN);
  const result = await runClients(
    servers.map(({ url }) => url),
    requests,
    { clients: CLIENTS, seconds },
  );
  const after = [...servers, ...databases].map(({ pid }) => cpuTimeOf(pid) ?? Number.NaN);
  if (result.faults > 0) throw new Error(`${group.name}: ${result.faults} faults`);
  group.acknowledged += result.acknowledged;
  const micros = after.map((ms, index) => ((ms - (before[index] ?? 0)) * 1000) / result.acknowledged);
  return {
    perSecond: result.acknowledged / result.seconds,
    nodeMicros: micros.slice(0, servers.length).reduce((sum, one) => sum + one, 0),
    databaseMicros: micros.slice(servers.length),
  };
}

/** Checks that every acknowledged click is stored exactly once. */
async function checkCount({ name, programs, acknowledged }: Group): Promise<void> {
  const counts = await Promise.all(programs.map((program) => program.countClicks()));
  const stored = counts.reduce((sum, count) => sum + count, 0);
  if (stored !== acknowledged) {
    throw new Error(`${name}: ${acknowledged} clicks were acknowledged, ${stored} are stored`);
  }
}

function figuresOf({ name, databases }: Group, of: (name: string) => Measured[]): Figure[] {
  const one = of(ONE);
  const rate = { name, unit: '/s', rounds: of(name).map(({ perSecond }) => perSecond) };
  const cpu = (process: string, rounds: number[]) => ({ name: `${name}: ${process}`, unit: 'µs', rounds });
  const node = cpu(
    'CPU of Node per click',
    of(name).map(({ nodeMicros }) => nodeMicros),
  );
  const oneNode = { name: ONE, rounds: one.map(({ nodeMicros }) => nodeMicros) };
  const oneDatabase = { name: ONE, rounds: one.map(({ databaseMicros }) => databaseMicros[0] ?? Number.NaN) };
  const micros = databases.map((_, index) =>
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

/** Only a single server process has targets. With more processes, batches are smaller than those of the group `ONE`. */
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
