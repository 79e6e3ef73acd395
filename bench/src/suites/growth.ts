import { join } from 'node:path';
import type { Engine } from '@affkit/core';
import { postgresEngine } from '@affkit/core/postgres';
import { sqliteEngine } from '@affkit/core/sqlite';
import { type Figure, type Section, type Target, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import { callApi, type SeededProgram, seedPrograms } from '../seed-events.ts';
import { visitBody } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const ROUNDS = 40;
const WARM_UP = 10;
const CLICK_ROUNDS = 9;
const CLICKS = 10_000;
const CONCURRENCY = 64;
/** A page number divided by the number of events. With 10 events per page, 0.08 is the page at 80 % of the list. */
const DEEP_PAGE_SHARE = 0.08;

interface Read {
  readonly name: string;
  readonly path: (programId: number, size: number) => string;
  readonly target?: Target;
}

const events = (page: (size: number) => number) => (programId: number, size: number) =>
  `/api/tracking/events/${programId}?page=${Math.max(1, Math.round(page(size)))}`;

const READS: readonly Read[] = [
  {
    name: 'performance report, 90 days',
    path: (programId) => `/api/tracking/performance/${programId}?period=90d`,
    target: { most: 1.5 },
  },
  { name: 'events, page 1', path: events(() => 1), target: { most: 1.5 } },
  {
    name: 'events, a page after 80 % of the events',
    path: events((size) => size * DEEP_PAGE_SHARE),
    target: { most: 3 },
  },
];

/** Measures how dashboard reads and clicks slow down with the number of events. */
export async function growth(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const sizes = SIZES.map((size) => scaled(size, context));
  const figures = [
    ...(await compareSizes('SQLite', sizes, async (size) =>
      sqliteEngine({ path: join(folder, `growth-${size}.db`) }),
    )),
    ...(await compareSizes('Postgres', sizes, async () =>
      postgresEngine({ connectionString: await postgres.createDatabase() }),
    )),
  ];
  return {
    id: 'growth',
    title: 'Speed with many events',
    text:
      `The time of reads and clicks with different numbers of events of one program in 200 days: ${sizes.map((size) => size.toLocaleString('en')).join(', ')}. A ratio of 1 means that they are as fast as with the smallest database. ` +
      'The requests run through the whole service, without the network.',
    figures,
  };
}

async function compareSizes(
  kind: string,
  sizes: readonly number[],
  open: (size: number) => Promise<Engine>,
): Promise<Figure[]> {
  const databases = await seedPrograms(kind, sizes, open);
  const figures: Figure[] = [];
  for (const read of READS) {
    const times = databases.map((): number[] => []);
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (const [index, database] of databases.entries()) {
        const ms = await time(database, read);
        if (round >= 0) times[index]?.push(ms);
      }
    }
    const [first, ...rest] = databases.map(({ size }, index) => ({
      name: `${kind}, ${read.name}: ${size.toLocaleString('en')} events`,
      unit: 'ms',
      rounds: times[index] ?? [],
    }));
    if (!first) continue;
    const smallest = { name: 'the smallest database', rounds: first.rounds };
    figures.push(first, ...rest.map((figure) => withRatio(figure, smallest, read.target)));
  }
  figures.push(...(await compareClicks(kind, databases)));
  for (const { affkit } of databases) await affkit.close();
  return figures;
}

/** Compares the time of a click on the smallest and the largest database. */
async function compareClicks(kind: string, databases: readonly SeededProgram[]): Promise<Figure[]> {
  const [few, many] = [databases[0], databases.at(-1)];
  if (!few || !many) return [];
  for (const database of [few, many]) {
    const partners = `/api/advertiser/affiliate-programs/${database.programId}/partners`;
    const partner = { name: 'Anna', email: 'anna@bench.example', code: 'anna' };
    await callApi(database.affkit, partners, partner, database.token);
  }
  const name = ({ size }: SeededProgram) => `${kind}, a click: ${size.toLocaleString('en')} events`;
  const of = await runInterleaved<number>(
    CLICK_ROUNDS,
    [few, many].map((database) => ({ name: name(database), run: () => timeClick(database) })),
    (micros) => `${Math.round(micros)} µs`,
  );
  const figure = (database: SeededProgram) => ({
    name: name(database),
    unit: 'µs',
    rounds: of(name(database)),
  });
  const smallest = { name: 'the smallest database', rounds: of(name(few)) };
  return [figure(few), withRatio(figure(many), smallest, { most: 1.3 })];
}

/** @returns the elapsed time divided by the number of clicks, in microseconds; `CONCURRENCY` clicks run at a time */
async function timeClick({ affkit }: SeededProgram): Promise<number> {
  let sent = 0;
  const visitor = async () => {
    while (sent < CLICKS) await callApi(affkit, '/api/v1/track/click', visitBody('anna', sent++));
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, visitor));
  return ((performance.now() - begin) * 1000) / CLICKS;
}

async function time({ affkit, programId, token, size }: SeededProgram, read: Read): Promise<number> {
  const begin = performance.now();
  const { data } = await callApi<{ data: unknown[] }>(affkit, read.path(programId, size), undefined, token);
  const ms = performance.now() - begin;
  if (data.length === 0) throw new Error(`Invalid measurement: ${read.name} is empty`);
  return ms;
}
