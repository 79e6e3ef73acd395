import { join } from 'node:path';
import { type Affkit, createAffkit, type Engine } from '@affkit/core';
import { postgresEngine } from '@affkit/core/postgres';
import { sqliteEngine } from '@affkit/core/sqlite';
import { type Figure, quantile, type Section, withRatio } from '../report.ts';
import { callApi, type SeededProgram, seedEvents } from '../seed-events.ts';
import { addPartners } from '../seed-partners.ts';
import { type Context, scaled } from './context.ts';

const SIZES = [10_000, 1_000_000];
const PARTNERS = 10_000;
const ROUNDS = 40;
const WARM_UP = 5;
/** The highest time of a read, and the highest ratio of reads that take longer than `FAST_MS`. */
const MOST_MS = 100;
const MOST_RATIO = 2;
const FAST_MS = 5;

/** The reads of the dashboard, below the path of the program. */
const READS: readonly string[] = [
  '/series',
  '/series?unit=hour',
  '/series?partner_id=1',
  '/top?by=partner',
  '/top?by=link',
  '/top?by=partner&measure=revenue',
  '/partners',
  '/partners?sort=clicks',
  '/partners?q=name-77',
  '/partners?q=r%C3%A9ne',
  '/partners/1',
  '/links?sort=clicks',
  '/commissions',
  '/commissions?status=pending&sort=amount_cents',
  '/commissions?partner_id=1',
  '/commissions?q=txn_99',
  '/commissions/totals',
  '/customers',
  '/customers?q=key-7',
];

const EVENT_READS: readonly string[] = [
  '?partner_id=1',
  '?link_id=1',
  '?link_id=10001',
  '?q=txn_99',
  '?q=key-7',
];

interface Database extends SeededProgram {
  readonly affkit: Affkit;
  readonly size: number;
}

/** Measures the reads of the dashboard, and how they slow down with the number of events. */
export async function dashboard(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const sizes = SIZES.map((size) => scaled(size, context));
  const figures = [
    ...(await compareSizes('SQLite', sizes, async (size) =>
      sqliteEngine({ path: join(folder, `dashboard-${size}.db`) }),
    )),
    ...(await compareSizes('Postgres', sizes, async () =>
      postgresEngine({ connectionString: await postgres.createDatabase() }),
    )),
  ];
  return {
    id: 'dashboard',
    title: 'Reads of the dashboard',
    text: `The 95th percentile of ${ROUNDS} reads through the whole service, without the network, with ${sizes.map((size) => size.toLocaleString('en')).join(' and ')} events and ${PARTNERS.toLocaleString('en')} partners of one program. Reads that take less than ${FAST_MS} ms have no ratio.`,
    figures,
  };
}

async function compareSizes(
  kind: string,
  sizes: readonly number[],
  open: (size: number) => Promise<Engine>,
): Promise<Figure[]> {
  const databases: Database[] = [];
  for (const size of sizes) {
    const affkit = createAffkit({
      engine: await open(size),
      secret: 'a bench secret of at least 32 characters',
    });
    const seeded = await seedEvents(affkit, size, (programId) =>
      addPartners(affkit.runtime.engine, programId, PARTNERS),
    );
    process.stderr.write(`  ${kind}: ${size.toLocaleString('en')} events seeded\n`);
    databases.push({ affkit, size, ...seeded });
  }
  const figures: Figure[] = [];
  for (const read of [...READS, ...EVENT_READS]) {
    const measured: Figure[] = [];
    for (const database of databases) {
      measured.push({
        name: `${kind}, ${read}: ${database.size.toLocaleString('en')} events`,
        unit: 'ms',
        rounds: [await timeP95(database, read)],
        target: { most: MOST_MS },
      });
    }
    const [first, ...rest] = measured;
    if (!first) continue;
    const smallest = { name: 'the smallest', rounds: first.rounds };
    process.stderr.write(
      `  ${measured.map(({ name, rounds }) => `${name} ${rounds[0]?.toFixed(1)} ms`).join(', ')}\n`,
    );
    figures.push(first);
    for (const figure of rest) {
      figures.push(figure);
      if ((figure.rounds[0] ?? 0) >= FAST_MS) figures.push(withRatio(figure, smallest, { most: MOST_RATIO }));
    }
  }
  for (const { affkit } of databases) await affkit.close();
  return figures;
}

/** @returns the 95th percentile in milliseconds */
async function timeP95({ affkit, programId, token }: Database, read: string): Promise<number> {
  const base = EVENT_READS.includes(read)
    ? `/api/tracking/events/${programId}`
    : `/api/advertiser/affiliate-programs/${programId}`;
  const times: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const begin = performance.now();
    await callApi(affkit, `${base}${read}`, undefined, token);
    if (round >= 0) times.push(performance.now() - begin);
  }
  return quantile(times, 0.95);
}
