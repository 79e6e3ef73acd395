import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Affkit, createAffkit, type Engine } from '@affkit/core';
import { postgresEngine } from '@affkit/core/postgres';
import { sqliteEngine } from '@affkit/core/sqlite';
import { startPostgres } from '../../packages/core/test/postgres-server.ts';
import { call, type Seeded, seedEvents } from './seed-events.ts';
import { median } from './table.ts';

const SMALL = Number(process.env['BENCH_SMALL'] ?? 50_000);
const LARGE = Number(process.env['BENCH_LARGE'] ?? 5_000_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 60);
const WARM_UP = 10;

interface Read {
  readonly name: string;
  readonly path: (programId: number) => string;
  /** How much longer the large database may take; null where the small one has no such page. */
  readonly limit: number | null;
}

const events = (page: number) => (programId: number) => `/api/tracking/events/${programId}?page=${page}`;
const READS: readonly Read[] = [
  {
    name: 'performance, 90 days',
    path: (programId) => `/api/tracking/performance/${programId}?period=90d`,
    limit: 1.5,
  },
  { name: 'events, page 1', path: events(1), limit: 1.5 },
  { name: 'events, page 4,000', path: events(4_000), limit: 3 },
  { name: `events, page ${(LARGE * 0.08).toLocaleString('en')}`, path: events(LARGE * 0.08), limit: null },
];

interface Subject extends Seeded {
  readonly affkit: Affkit;
}

/**
 * How the dashboard's reads grow with the number of events in 200 days: the same reads on a small and on a large
 * database, in turns, each through the whole service but the network. Ends with code 1 where one grows too much.
 */
const folder = mkdtempSync(join(tmpdir(), 'affkit-reads-'));
const postgres = await startPostgres();
try {
  await compare('SQLite', async (name) => sqliteEngine({ path: join(folder, `${name}.db`) }));
  await compare('Postgres', async () =>
    postgresEngine({ connectionString: await postgres.createDatabase() }),
  );
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function compare(kind: string, open: (name: string) => Promise<Engine>): Promise<void> {
  const small = await prepare(kind, await open('small'), SMALL);
  const large = await prepare(kind, await open('large'), LARGE);
  for (const read of READS) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const ms = { small: read.limit === null ? 0 : await time(small, read), large: await time(large, read) };
      if (round < 0) continue;
      times.small.push(ms.small);
      times.large.push(ms.large);
    }
    const [before, after] = [median(times.small), median(times.large)];
    const figures =
      read.limit === null
        ? `${after.toFixed(2)} ms`
        : `${before.toFixed(2)} ms, ${after.toFixed(2)} ms: ${(after / before).toFixed(2)} × (at most ${read.limit})`;
    process.stdout.write(`${kind}: ${read.name}: ${figures}\n`);
    if (read.limit !== null && after / before > read.limit) process.exitCode = 1;
  }
  await small.affkit.close();
  await large.affkit.close();
}

async function prepare(kind: string, engine: Engine, amount: number): Promise<Subject> {
  const affkit = createAffkit({ engine, secret: 'a bench secret of at least 32 characters' });
  const start = performance.now();
  const seeded = await seedEvents(affkit, amount);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const rebuild = (seeded.rebuildMs / 1000).toFixed(1);
  process.stdout.write(
    `${kind}: ${amount.toLocaleString('en')} events seeded in ${seconds} s, totalled in ${rebuild} s of these\n`,
  );
  return { affkit, ...seeded };
}

async function time({ affkit, programId, token }: Subject, read: Read): Promise<number> {
  const start = performance.now();
  const { data } = await call<{ data: unknown[] }>(affkit, read.path(programId), undefined, token);
  const ms = performance.now() - start;
  if (data.length === 0) throw new Error(`${read.name} is empty: not a measurement`);
  return ms;
}
