import { availableParallelism } from 'node:os';
import { type Crowd, clickRequests, runCrowd } from '../clients.ts';
import type { RunningServer } from '../process.ts';
import { compared, type Figure, type Section } from '../report.ts';
import { CODE, type Program, prepareProgram, signIn, startReference } from '../subject.ts';
import { takeTurns } from '../turns.ts';
import { type Context, scaled } from './context.ts';

const CLIENTS = 96;
const SECONDS = 5;
const ROUNDS = 5;
const ONE = '1 server';

/** Servers on one database. */
interface Group {
  readonly name: string;
  readonly program: Program;
  readonly servers: readonly RunningServer[];
  acknowledged: number;
}

/** How several processes share the load of clicks on one Postgres. */
export async function processes(context: Context): Promise<Section> {
  const groups: Group[] = [];
  const seconds = scaled(SECONDS, context);
  try {
    for (const count of [1, 2, 3]) groups.push(await startServers(context, count));
    for (const count of [2, 3]) groups.push(await startWorkers(context, count));
    const of = await takeTurns<Crowd>(
      ROUNDS,
      groups.map((group) => ({ name: group.name, run: () => measure(group, seconds) })),
      (crowd) => `${Math.round(crowd.acknowledged / crowd.seconds)}/s`,
    );
    for (const { name, program, acknowledged } of groups) {
      const stored = await program.countClicks();
      if (stored !== acknowledged) {
        throw new Error(`${name}: ${acknowledged} clicks were acknowledged, ${stored} are stored`);
      }
    }
    const rate = (name: string) => ({
      name,
      unit: '/s',
      rounds: of(name).map((crowd) => crowd.acknowledged / crowd.seconds),
    });
    const shares = await Promise.all(groups.slice(1, 3).map(sharesOf));
    return {
      id: 'processes',
      title: 'Several processes',
      text:
        `${CLIENTS} clients, ${ROUNDS} rounds of ${seconds} s in turns, all servers of a group on one Postgres database; ${availableParallelism()} cores, of which the clients take one. ` +
        'Workers are processes of one server (`WEB_CONCURRENCY`). Every acknowledged click is stored once.',
      figures: [
        rate(ONE),
        ...groups.slice(1).map(({ name }) => compared(rate(name), rate(ONE))),
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

async function measure(group: Group, seconds: number): Promise<Crowd> {
  const urls = group.servers.map((server) => server.url);
  const requests = clickRequests(urls[0] ?? '', CODE);
  const crowd = await runCrowd(urls, requests, { clients: CLIENTS, seconds });
  if (crowd.faults > 0) throw new Error(`${group.name}: ${crowd.faults} faults`);
  group.acknowledged += crowd.acknowledged;
  return crowd;
}

/** What part of the clicks each server of the group took, by its own metrics. */
async function sharesOf({ name, servers }: Group): Promise<Figure[]> {
  const counts = await Promise.all(servers.map(countAnswers));
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count, index) => ({
    name: `${name}: share of the ${['first', 'second', 'third'][index] ?? index}`,
    unit: '%',
    rounds: [(100 * count) / all],
  }));
}

async function countAnswers({ url }: RunningServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^affkit_http_requests_total\{.*track\/click.*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}
