import { availableParallelism } from 'node:os';
import { type ClientsResult, clickRequests, runClients } from '../clients.ts';
import type { RunningServer } from '../process.ts';
import { type Figure, type Section, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import {
  METRICS_TOKEN,
  PARTNER_CODE,
  type Program,
  prepareProgram,
  signIn,
  startReference,
} from '../servers.ts';
import { type Context, scaled } from './context.ts';

const CLIENTS = 96;
const SECONDS = 5;
const ROUNDS = 5;
const ONE = '1 server';

/** Servers that share one database. */
interface Group {
  readonly name: string;
  readonly program: Program;
  readonly servers: readonly RunningServer[];
  acknowledged: number;
}

/** Measures clicks with several processes on one Postgres database. */
export async function processes(context: Context): Promise<Section> {
  const groups: Group[] = [];
  const seconds = scaled(SECONDS, context);
  try {
    for (const count of [1, 2, 3]) groups.push(await startServers(context, count));
    for (const count of [2, 3]) groups.push(await startWorkers(context, count));
    const of = await runInterleaved<ClientsResult>(
      ROUNDS,
      groups.map((group) => ({ name: group.name, run: () => measure(group, seconds) })),
      (result) => `${Math.round(result.acknowledged / result.seconds)}/s`,
    );
    for (const { program, acknowledged } of groups) await program.requireClicks(acknowledged);
    const rate = (name: string) => ({
      name,
      unit: '/s',
      rounds: of(name).map((result) => result.acknowledged / result.seconds),
    });
    const shares = await Promise.all(groups.slice(1, 3).map(sharesOf));
    return {
      id: 'processes',
      title: 'Several processes',
      text:
        'Clicks per second of several servers that share a Postgres database, and of several workers of one server (`WEB_CONCURRENCY`). ' +
        `The machine has ${availableParallelism()} cores, of which the clients use one. Every acknowledged click is stored once. ${CLIENTS} clients, ${ROUNDS} alternating rounds of ${seconds} s.`,
      figures: [
        rate(ONE),
        ...groups.slice(1).map(({ name }) => withRatio(rate(name), rate(ONE))),
        ...shares.flat(),
      ],
    };
  } finally {
    for (const { servers } of groups) await Promise.all(servers.map((server) => server.stop()));
  }
}

async function startServers({ postgres }: Context, count: number): Promise<Group> {
  const url = await postgres.createDatabase();
  const first = await startReference(url);
  const others = await Promise.all(Array.from({ length: count - 1 }, () => startReference(url)));
  const program = await prepareProgram(await signIn(first.url));
  return {
    name: count === 1 ? ONE : `${count} servers`,
    program,
    servers: [first, ...others],
    acknowledged: 0,
  };
}

async function startWorkers({ postgres }: Context, count: number): Promise<Group> {
  const server = await startReference(await postgres.createDatabase(), { workers: count });
  const program = await prepareProgram(await signIn(server.url));
  return { name: `1 server, ${count} workers`, program, servers: [server], acknowledged: 0 };
}

async function measure(group: Group, seconds: number): Promise<ClientsResult> {
  const urls = group.servers.map((server) => server.url);
  const requests = clickRequests(urls[0] ?? '', PARTNER_CODE);
  const result = await runClients(urls, requests, { clients: CLIENTS, seconds });
  if (result.faults > 0) throw new Error(`${group.name}: ${result.faults} faults`);
  group.acknowledged += result.acknowledged;
  return result;
}

/** The share of the clicks that each server handled, according to its own metrics. */
async function sharesOf({ name, servers }: Group): Promise<Figure[]> {
  const counts = await Promise.all(servers.map(countClickResponses));
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count, index) => ({
    name: `${name}: share of the clicks on server ${index + 1}`,
    unit: '%',
    rounds: [(100 * count) / all],
  }));
}

async function countClickResponses({ url }: RunningServer): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(/^affkit_http_requests_total\{.*track\/click.*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}
