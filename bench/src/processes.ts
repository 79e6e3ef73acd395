import { availableParallelism } from 'node:os';
import { startPostgres } from '../../packages/core/test/postgres-server.ts';
import { type Crowd, clickRequests, runCrowd } from './clients.ts';
import type { RunningServer } from './process.ts';
import { type Subject, startReference, startServer } from './subject.ts';
import { median, quantile } from './table.ts';

const COUNTS = (process.env['BENCH_PROCESSES'] ?? '1,2,3').split(',').map(Number);
const CLIENTS = Number(process.env['BENCH_CONNECTIONS'] ?? 96);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);

/** Servers on one database. */
interface Group {
  readonly name: string;
  readonly subject: Subject;
  readonly servers: readonly RunningServer[];
  readonly crowds: Crowd[];
}

/**
 * How several processes share the load of clicks on one Postgres: as servers of their own with a port each, and as
 * workers of one. All of them take turns, so that a change of the machine's speed meets all.
 */
const postgres = await startPostgres();
const groups: Group[] = [];
try {
  for (const count of COUNTS) groups.push(await startServers(count));
  for (const count of COUNTS.filter((workers) => workers > 1)) groups.push(await startWorkers(count));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const group of groups) group.crowds.push(await measure(group));
  }
  process.stdout.write(`${availableParallelism()} cores, of which the clients take one\n`);
  for (const group of groups) await report(group);
} finally {
  for (const { servers } of groups) await Promise.all(servers.map((server) => server.stop()));
  await postgres.stop();
}

async function startServers(count: number): Promise<Group> {
  const url = await postgres.createDatabase();
  const subject = await startReference('', url);
  const others = await Promise.all(Array.from({ length: count - 1 }, () => startServer(url)));
  const name = count === 1 ? '1 server' : `${count} servers`;
  return { name, subject, servers: [subject.server, ...others], crowds: [] };
}

async function startWorkers(count: number): Promise<Group> {
  const subject = await startReference('', await postgres.createDatabase(), count);
  return { name: `1 server, ${count} workers`, subject, servers: [subject.server], crowds: [] };
}

function measure({ subject, servers }: Group): Promise<Crowd> {
  const urls = servers.map((server) => server.url);
  const requests = clickRequests(subject.server.url, subject.partnerCode);
  return runCrowd(urls, requests, { clients: CLIENTS, seconds: SECONDS });
}

async function report({ name, subject, servers, crowds }: Group): Promise<void> {
  const rate = (crowd: Crowd) => crowd.acknowledged / crowd.seconds;
  const measured = crowds.slice(1);
  const base = groups[0]?.crowds.slice(1) ?? [];
  const ratios = measured.map((crowd, round) => rate(crowd) / rate(base[round] ?? crowd));
  const latencies = measured.flatMap((crowd) => crowd.acknowledgedMs);
  const clicks = await Promise.all(servers.map(countAnswers));
  const all = clicks.reduce((sum, count) => sum + count, 0);
  const acknowledged = crowds.reduce((sum, crowd) => sum + crowd.acknowledged, 0);
  const stored = await subject.countClicks();
  const facts = [
    `${Math.round(median(measured.map(rate)))} clicks/s`,
    `${median(ratios).toFixed(2)} of one`,
    `p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${quantile(latencies, 0.99).toFixed(1)} ms`,
    `shares ${clicks.map((count) => `${Math.round((100 * count) / all)} %`).join(', ')}`,
    `${acknowledged} acknowledged, ${stored} stored`,
  ];
  process.stdout.write(`${name}: ${facts.join('; ')}\n`);
  if (stored !== acknowledged || crowds.some((crowd) => crowd.faults > 0)) process.exitCode = 1;
}

async function countAnswers({ url }: RunningServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^affkit_http_requests_total\{.*track\/click.*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}
