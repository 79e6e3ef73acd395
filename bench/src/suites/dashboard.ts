import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '@affkit/core';
import { postgresEngine } from '@affkit/core/postgres';
import { sqliteEngine } from '@affkit/core/sqlite';
import { measurePages } from '../dashboard-pages.ts';
import { type Figure, median, quantile, type Section, withRatio } from '../report.ts';
import { callApi, type SeededProgram, seedPrograms } from '../seed-events.ts';
import { type Context, scaled } from './context.ts';

const SIZES = [10_000, 1_000_000];
const PARTNERS = 10_000;
/** Each round measures every read. Other load on the machine therefore disturbs only some rounds of a read. */
const ROUNDS = 3;
const READS_PER_ROUND = 60;
const WARM_UP = 5;
/**
 * A read may take at most `MOST_MS`. If it takes longer than `FAST_MS`, it may take at most `MOST_RATIO` times as long
 * as in the smallest database.
 */
const MOST_MS = 100;
const MOST_RATIO = 2;
const FAST_MS = 5;

const DAY_MS = 86_400_000;
const ALL_MEASURES = 'clicks,leads,conversions,sales,revenue,commission';

/** The query of a period that ends today, as the overview sends it. */
function lastDays(days: number): string {
  const day = (before: number) => new Date(Date.now() - before * DAY_MS).toISOString().slice(0, 10);
  return `dateFrom=${day(days - 1)}&dateTo=${day(0)}`;
}

/** The periods "12 months" and "All" of the overview. The events of a seeded program cover 200 days. */
const YEAR = lastDays(364);
const ALL_TIME = lastDays(203);

/** The requests of a program's pages. The paths are relative to the path of the program. */
const PROGRAM_READS: readonly string[] = [
  '/series',
  '/series?unit=hour',
  '/series?partner_id=1',
  `/series?measures=${ALL_MEASURES}&${YEAR}`,
  `/series?measures=${ALL_MEASURES}&${ALL_TIME}`,
  '/top?by=partner',
  '/top?by=partner&measure=revenue',
  '/top?by=link',
  '/top?by=link&dateFrom=2020-01-01',
  '/breakdown?by=country',
  '/breakdown?by=page',
  '/breakdown?by=referrer_host',
  '/breakdown?by=device',
  '/breakdown?by=os',
  '/breakdown?by=browser',
  `/top?by=partner&${YEAR}`,
  `/top?by=partner&${ALL_TIME}`,
  `/breakdown?by=country&${YEAR}`,
  `/breakdown?by=country&${ALL_TIME}`,
  '/integration',
  '/refusals',
  '/refusals?q=txn_99',
  '/partners',
  '/partners?status=pending',
  '/partners?sort=name&order=asc&pageSize=100',
  '/partners?sort=clicks',
  '/partners?sort=leads',
  '/partners?sort=conversions',
  '/partners?sort=balance_cents',
  '/partners?q=name-77',
  '/partners?q=r%C3%A9ne',
  '/partners/1',
  '/links',
  '/links?sort=clicks',
  '/links?sort=short_link&order=asc',
  '/links?sort=last_clicked',
  '/links?q=code-77',
  '/commissions',
  '/commissions?status=pending&sort=amount_cents',
  '/commissions?needs_approval=1',
  '/commissions?partner_id=1',
  '/commissions?q=txn_99',
  '/commissions/totals',
  '/commissions/totals?partner_id=1',
  '/commission-policies',
  '/commission-policies?partner_id=1',
  '/payouts',
  '/payouts?q=name-77',
  '/payouts?status=paid&sort=amount_cents',
  '/payouts?sort=partner_name&order=asc',
  '/payout-batches',
  '/payout-runs',
  '/payout-settings',
  '/page',
  '/webhook-endpoints',
  '/webhook-endpoints/1/deliveries',
  '/email-templates',
  '/customers',
  '/customers?q=key-7',
  '/customers/1',
  '/trace?commission_id=1',
  '/trace?transaction_id=txn_99',
  '/trace?click_id=clk_7',
  '/trace?customer_key=key-7',
];

/**
 * Reads of the event list. The strings are appended to its path. A search reads a limited number of customers.
 * Each of these searches matches more customers than this limit, even in the smallest database. Otherwise, a larger
 * database would return more events, and the ratio would compare different amounts of work.
 */
const EVENT_READS: readonly string[] = [
  '',
  '?partner_id=1',
  '?link_id=1',
  '?link_id=10001',
  '?q=txn_',
  '?q=key-7',
  '?eventType=click',
  '?eventType=lead',
  '?eventType=conversion',
  `?${lastDays(30)}`,
  `?eventType=conversion&${lastDays(30)}`,
];

/** The requests that every page sends, and the requests of the pages about the workspace and the user. */
const SHARED_READS: readonly string[] = [
  '/api/auth/me',
  '/api/advertiser/affiliate-programs?pageSize=100',
  '/api/advertiser/notifications',
  '/api/advertiser/audit-log',
  '/api/advertiser/members',
  '/api/advertiser/api-keys',
  '/api/advertiser/processor-connections',
  '/api/advertiser/emails',
  '/api/auth/sessions',
];

interface Read {
  readonly name: string;
  readonly path: (programId: number) => string;
  /** The body of a POST request. Without it, the read is a GET request. */
  readonly body?: object;
}

const P = '/api/advertiser/affiliate-programs';
const READS: readonly Read[] = [
  ...PROGRAM_READS.map((read) => ({ name: read, path: (id: number) => `${P}/${id}${read}` })),
  { name: '/payouts/preview, the sums', path: (id) => `${P}/${id}/payouts/preview`, body: { limit: 0 } },
  { name: '/payouts/preview', path: (id) => `${P}/${id}/payouts/preview`, body: { limit: 200 } },
  ...EVENT_READS.map((read) => ({
    name: `/events${read}`,
    path: (id: number) => `/api/tracking/events/${id}${read}`,
  })),
  ...SHARED_READS.map((path) => ({ name: path, path: () => path })),
];

/** Measures the pages of the dashboard, its reads, and how the reads slow down with the number of events. */
export async function dashboard(context: Context): Promise<Section> {
  const { postgres } = context;
  const folder = context.keptFolder ?? context.folder;
  const most = scaled(context.events, context);
  const secret = keepSecret(folder);
  const sizes = [...new Set([...SIZES.filter((size) => size < most), most])];
  const figures = [
    ...(await measurePages(context)),
    ...(await compareSizes('SQLite', sizes, secret, async (size) =>
      sqliteEngine({ path: join(folder, `dashboard-${size}.db`) }),
    )),
    ...(await compareSizes('Postgres', sizes, secret, async (size) =>
      postgresEngine({ connectionString: await postgres.ensureDatabase(`dashboard_${size}`) }),
    )),
  ];
  return {
    id: 'dashboard',
    title: 'Dashboard',
    text:
      'The size of each page, the time until a page shows everything, and the time of each read. ' +
      'Sizes are of JavaScript, compressed with gzip; "in addition to the overview" counts only the code that the overview does not load. ' +
      'Page times are from Chromium with a cold cache, on slow 4G (150 ms, 1.6 Mbit/s), with a CPU slowed down 4 times. ' +
      `Read times are the 95th percentile of ${READS_PER_ROUND} reads (the median of ${ROUNDS} rounds) and the median of all reads (p50), with different numbers of events (${sizes.map((size) => size.toLocaleString('en')).join(', ')}) and ${PARTNERS.toLocaleString('en')} partners of one program, through the whole service without the network. ` +
      `A ratio compares with the smallest database. Only reads that take at least ${FAST_MS} ms have a target.`,
    figures,
  };
}

/** Reads the secret from the folder, or creates it. The databases in the folder work only with this secret. */
function keepSecret(folder: string): string {
  const path = join(folder, 'secret');
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(path, 'utf8');
}

async function compareSizes(
  kind: string,
  sizes: readonly number[],
  secret: string,
  open: (size: number) => Promise<Engine>,
): Promise<Figure[]> {
  const programs = await seedPrograms(kind, sizes, open, PARTNERS, secret);
  for (const program of programs) await addEndpoint(program);
  const rounds: number[][][][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push([]);
    for (const read of READS) rounds[round]?.push(await timeReads(programs, read));
  }
  const figures: Figure[] = [];
  for (const [readIndex, read] of READS.entries()) {
    const [first, ...rest] = programs.map(({ size }, index) => {
      const times = rounds.map((round) => round[readIndex]?.[index] ?? []);
      return {
        name: `${kind}, ${read.name}: ${size.toLocaleString('en')} events`,
        unit: 'ms',
        rounds: times.map((ofRound) => quantile(ofRound, 0.95)),
        p50: quantile(times.flat(), 0.5),
      };
    });
    if (!first) continue;
    const shown = [first, ...rest].map((figure) => `${median(figure.rounds).toFixed(1)} ms`);
    process.stderr.write(`  ${kind}, ${read.name}: ${shown.join(', ')}\n`);
    figures.push(first);
    for (const figure of rest) figures.push(...compare(figure, first));
  }
  for (const { affkit } of programs) await affkit.close();
  return figures;
}

/** Adds a webhook endpoint if the program has none. */
async function addEndpoint({ affkit, programId, token }: SeededProgram): Promise<void> {
  const path = `${P}/${programId}/webhook-endpoints`;
  const { data } = await callApi<{ data: object[] }>(affkit, path, undefined, token);
  if (data.length > 0) return;
  await callApi(affkit, path, { url: 'https://shop.example/hook', event_types: ['payout.paid'] }, token);
}

/** Measures the read in all databases alternately. @returns the times of each database */
async function timeReads(programs: readonly SeededProgram[], read: Read): Promise<number[][]> {
  const times = programs.map((): number[] => []);
  for (let count = -WARM_UP; count < READS_PER_ROUND; count++) {
    for (const [index, program] of programs.entries()) {
      const ms = await time(program, read);
      if (count >= 0) times[index]?.push(ms);
    }
  }
  return times;
}

/** Compares the time of a read with its bound, and with its time in the smallest database. */
function compare(figure: Figure, first: Figure): Figure[] {
  const smallest = { name: 'the smallest database', rounds: first.rounds };
  const ms = median(figure.rounds);
  if (ms < FAST_MS) return [withRatio(figure, smallest)];
  const bounded = { ...figure, target: { most: MOST_MS } };
  return [...(ms > MOST_MS ? [bounded] : []), withRatio(figure, smallest, { most: MOST_RATIO })];
}

/** @returns milliseconds */
async function time({ affkit, programId, token }: SeededProgram, { path, body }: Read): Promise<number> {
  const begin = performance.now();
  await callApi(affkit, path(programId), body, token);
  return performance.now() - begin;
}
