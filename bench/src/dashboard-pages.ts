import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteEngine } from '@affkit/core/sqlite';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { programVariables } from '../../scripts/programs.ts';
import { withServers } from './process.ts';
import type { Figure } from './report.ts';
import { seedPrograms } from './seed-events.ts';
import { OWNER, startReference } from './servers.ts';
import type { Context } from './suites/context.ts';

const PAGE_SIZES = new URL('../../packages/dashboard/dist/page-sizes.json', import.meta.url);
const ROUNDS = 5;
const EVENTS = 10_000;
const PARTNERS = 100;
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** The values with which Lighthouse simulates slow 4G. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const CPU_SLOWDOWN = 4;

interface Visit {
  readonly name: string;
  readonly path: (programId: number) => string;
  /** Selector of the content that the visitor waits for. It is complete when nothing matches `.skeleton`. */
  readonly selector: string;
  readonly isSignedIn: boolean;
  readonly mostMs: number;
}

const VISITS: readonly Visit[] = [
  {
    name: 'sign-in, form visible',
    path: () => '/app/sign-in',
    selector: 'input[type="password"]',
    isSignedIn: false,
    mostMs: 1_200,
  },
  {
    name: 'overview with data',
    path: (programId) => `/app/p/${programId}`,
    selector: 'main h1',
    isSignedIn: true,
    mostMs: 2_000,
  },
];

/** Measures the sizes of the pages, and how long a visitor waits for them on a slow connection. */
export async function measurePages({ folder }: Pick<Context, 'folder'>): Promise<Figure[]> {
  const path = join(folder, 'pages.db');
  const [program] = await seedPrograms(
    'Pages, SQLite',
    [EVENTS],
    async () => sqliteEngine({ path }),
    PARTNERS,
  );
  if (!program) throw new Error('No program was seeded');
  await program.affkit.close();
  const times = await withServers(async (start) => {
    const { url } = await start(startReference(`sqlite:${path}`));
    const browser = await chromium.launch({
      executablePath: programVariables()['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    try {
      return await measureVisits(browser, url, program.programId);
    } finally {
      await browser.close();
    }
  });
  return [...readSizes(), ...times];
}

/** Reads the sizes that the build measured. */
function readSizes(): Figure[] {
  const sizes = JSON.parse(readFileSync(PAGE_SIZES, 'utf8')) as {
    readonly name: string;
    readonly bytes: number;
    readonly limit: number;
  }[];
  return sizes.map(({ name, bytes, limit }) => ({
    name: `size of ${name}`,
    unit: 'kB',
    rounds: [bytes / 1000],
    target: { most: limit / 1000 },
  }));
}

async function measureVisits(browser: Browser, url: string, programId: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const visit of VISITS) {
    const rounds: { readonly ms: number; readonly shift: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // A new context has an empty cache.
      const context = await browser.newContext({ ...PHONE, baseURL: url });
      if (visit.isSignedIn) await signIn(context, url);
      rounds.push(await measureVisit(context, visit, programId));
      await context.close();
    }
    const { name, mostMs } = visit;
    const shifts = rounds.map(({ shift }) => shift);
    figures.push(
      { name, unit: 'ms', rounds: rounds.map(({ ms }) => ms), target: { most: mostMs } },
      { name: `${name}: layout shift (CLS)`, unit: '', rounds: shifts, target: { most: 0 } },
    );
  }
  return figures;
}

async function signIn(context: BrowserContext, url: string): Promise<void> {
  const reply = await context.request.post('/api/auth/login', {
    data: { ...OWNER, cookie: true },
    headers: { origin: url },
  });
  if (!reply.ok()) throw new Error(`The sign-in returned ${reply.status()}: ${await reply.text()}`);
}

async function measureVisit(
  context: BrowserContext,
  { path, selector }: Visit,
  programId: number,
): Promise<{ ms: number; shift: number }> {
  const page = await context.newPage();
  await slowDown(page);
  await page.addInitScript(watchPage, selector);
  await page.goto(path(programId), { waitUntil: 'networkidle' });
  await page.waitForFunction(() => (window as unknown as Watched).shownAt !== undefined);
  return page.evaluate(() => {
    const { shownAt, shift } = window as unknown as Watched;
    if (shownAt === undefined) throw new Error(`The content of the page is incomplete: ${document.title}`);
    return { ms: shownAt, shift };
  });
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_4G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
}

interface Watched {
  /** Milliseconds since the navigation began. */
  shownAt?: number;
  /** Sum of the layout shifts. */
  shift: number;
}

/** Runs in the page before its scripts. Records when all content is shown, and the layout shifts until then. */
function watchPage(selector: string): void {
  const watched = window as unknown as Watched;
  watched.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) watched.shift += (entry as unknown as { value: number }).value;
  }).observe({ type: 'layout-shift', buffered: true });
  const look = () => {
    const isLoading = document.querySelector('.skeleton, [aria-busy="true"]') !== null;
    const isShown = document.querySelector(selector) !== null && !isLoading;
    // Parts that load later start as skeletons, so only the last recorded time counts.
    if (!isShown) delete watched.shownAt;
    else watched.shownAt ??= performance.now();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
