import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresEngine } from '@affkit/core/postgres';
import { sql } from 'kysely';
import { startPostgres } from '../../packages/core/test/postgres-server.ts';
import { type Crowd, clickRequests, runCrowd } from './clients.ts';
import { type Subject, startReference } from './subject.ts';
import { quantile } from './table.ts';

const FEW = Number(process.env['BENCH_CONNECTIONS'] ?? 64);
const MANY = (process.env['BENCH_CROWD'] ?? '256,4000,9000').split(',').map(Number);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 1);
/** `sqlite`, `postgres`, `slow`; all where none is named. */
const ONLY = process.argv.slice(2);
/** How soon a click is answered by a server that has nothing else to do. */
const PROMPT_MS = 50;
/** What the slow disk adds to a batch. */
const SLOW_COMMIT_S = 0.2;

/**
 * Clicks beyond capacity: what a few clients get is the plateau, and many more are to get as much together, be refused
 * at once where they are too many, leave no memory behind, and be forgotten within a second.
 */
const folder = mkdtempSync(join(tmpdir(), 'affkit-overload-'));
const postgres = await startPostgres();
try {
  const kinds = {
    sqlite: () => measure('SQLite', `sqlite:${join(folder, 'overload.db')}`),
    postgres: async () => measure('Postgres', await postgres.createDatabase()),
    slow: async () => measure('Postgres on a slow disk', await postgres.createDatabase(), slowDown),
  };
  for (const [kind, run] of Object.entries(kinds)) {
    if (ONLY.length === 0 || ONLY.includes(kind)) await run();
  }
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(name: string, url: string, prepare?: (url: string) => Promise<void>): Promise<void> {
  const subject = await startReference(name, url);
  try {
    await prepare?.(url);
    const requests = clickRequests(subject.server.url, subject.partnerCode);
    let acknowledged = 0;
    const run = async (clients: number) => {
      const crowd = await runCrowd([subject.server.url], requests, { clients, seconds: SECONDS });
      acknowledged += crowd.acknowledged;
      return crowd;
    };
    for (let round = 0; round < ROUNDS; round++) {
      // The first run warms up.
      await run(FEW);
      const plateau = await run(FEW);
      report(subject, FEW, plateau, plateau, await readMemory(subject), null);
      for (const clients of MANY) {
        const crowd = await run(clients);
        const recovery = await recover(subject, requests);
        acknowledged += recovery.acknowledged;
        report(subject, clients, crowd, plateau, await readMemory(subject), recovery.ms);
      }
    }
    const stored = await subject.countClicks();
    process.stdout.write(`${name}: ${acknowledged} clicks acknowledged, ${stored} stored\n`);
    if (stored !== acknowledged) process.exitCode = 1;
  } finally {
    await subject.server.stop();
  }
}

function report(
  { name }: Subject,
  clients: number,
  crowd: Crowd,
  plateau: Crowd,
  memory: number,
  recoveryMs: number | null,
): void {
  const rate = (of: Crowd) => of.acknowledged / of.seconds;
  const ms = (values: readonly number[]) =>
    values.length === 0
      ? '-'
      : `p50 ${Math.round(quantile(values, 0.5))}, p99 ${Math.round(quantile(values, 0.99))}, max ${Math.round(quantile(values, 1))} ms`;
  const facts = [
    `${clients} clients`,
    `${Math.round(rate(crowd))}/s acknowledged`,
    `${(rate(crowd) / rate(plateau)).toFixed(2)} of the plateau`,
    ms(crowd.acknowledgedMs),
    `${crowd.refused} refused (${ms(crowd.refusedMs)})`,
    `${crowd.faults} faults`,
    `${Math.round(memory / 2 ** 20)} MB`,
    ...(recoveryMs === null ? [] : [`recovered after ${Math.round(recoveryMs)} ms`]),
  ];
  process.stdout.write(`${name}: ${facts.join(', ')}\n`);
}

/** How long after the crowd has gone a lone click is answered promptly again. */
async function recover(
  { server }: Subject,
  requests: readonly Buffer[],
): Promise<{ ms: number; acknowledged: number }> {
  const start = performance.now();
  for (let acknowledged = 0; ; ) {
    const lone = await runCrowd([server.url], requests, { clients: 1, seconds: 0 });
    acknowledged += lone.acknowledged;
    const [ms] = lone.acknowledgedMs;
    if (ms !== undefined && ms <= PROMPT_MS) return { ms: performance.now() - start, acknowledged };
  }
}

/** What the process holds, by its own metrics. */
async function readMemory({ server }: Subject): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
}

/** Each batch of clicks takes as long as on a disk that syncs slowly. */
async function slowDown(url: string): Promise<void> {
  const engine = postgresEngine({ connectionString: url });
  await engine.write(0, async ({ db }) => {
    await sql`CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
      ${sql.lit(`BEGIN PERFORM pg_sleep(${SLOW_COMMIT_S}); RETURN NULL; END`)}`.execute(db);
    await sql`CREATE TRIGGER slow_disk AFTER INSERT ON click_events
      FOR EACH STATEMENT EXECUTE FUNCTION pause()`.execute(db);
  });
  await engine.close();
}
