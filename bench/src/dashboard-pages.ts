import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteEngine } from '@affkit/core/sqlite';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { programVariables } from '../../scripts/programs.ts';
import { withServers } from './process.ts';
import type { Figure } from './report.ts';
import { callApi, type SeededProgram, seedPrograms } from './seed-events.ts';
import { OWNER, startReference } from './servers.ts';
import { type Context, scaled } from './suites/context.ts';

const PAGE_SIZES = new URL('../../packages/dashboard/dist/page-sizes.json', import.meta.url);
const ROUNDS = 5;
const EVENTS = 1_000_000;
const PARTNERS = 10_000;
const PROGRAM = '/api/advertiser/affiliate-programs';
/** The partner who opens the portal. No other partner has as many events. */
const PARTNER = { id: 1, email: 'p1@bench.example', password: 'correct horse of a partner' };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** The values with which Lighthouse simulates slow 4G. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const CPU_SLOWDOWN = 4;

interface VisitedProgram {
  readonly id: number;
  readonly slug: string;
}

interface Visit {
  readonly name: string;
  readonly path: (program: VisitedProgram) => string;
  /** Selector of the content that the visitor waits for. When no placeholders are left, the content is complete. */
  readonly selector: string;
  /** The user who is signed in. */
  readonly user?: { readonly email: string; readonly password: string };
  readonly mostMs: number;
}

const VISITS: readonly Visit[] = [
  {
    name: 'sign-in, form visible',
    path: () => '/app/sign-in',
    selector: 'input[type="password"]',
    mostMs: 1_200,
  },
  {
    name: 'page of a program, form visible',
    path: ({ slug }) => `/p/${slug}`,
    selector: 'input[type="email"]',
    mostMs: 1_200,
  },
  {
    name: 'overview with data',
    path: ({ id }) => `/app/p/${id}`,
    selector: 'main h1',
    user: OWNER,
    mostMs: 2_000,
  },
  {
    name: 'partner portal, overview with data',
    path: ({ id }) => `/app/partner/${id}`,
    selector: 'main h1',
    user: PARTNER,
    mostMs: 2_000,
  },
];

/** Measures the sizes of the pages, and how long a visitor waits for them on a slow connection. */
export async function measurePages({ folder, scale }: Pick<Context, 'folder' | 'scale'>): Promise<Figure[]> {
  const path = join(folder, 'pages.db');
  const [seeded] = await seedPrograms(
    'Pages, SQLite',
    [scaled(EVENTS, { scale })],
    async () => sqliteEngine({ path }),
    PARTNERS,
  );
  if (!seeded) throw new Error('No program was seeded');
  const program = await openToPartners(seeded);
  await seeded.affkit.close();
  const times = await withServers(async (start) => {
    const { url } = await start(startReference(`sqlite:${path}`));
    const browser = await chromium.launch({
      executablePath: programVariables()['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    try {
      return await measureVisits(browser, url, program);
    } finally {
      await browser.close();
    }
  });
  return [...readSizes(), ...times];
}

/** Publishes the page of the program, and lets a partner sign in. */
async function openToPartners({ affkit, programId, token }: SeededProgram): Promise<VisitedProgram> {
  const path = `${PROGRAM}/${programId}`;
  await callApi(affkit, `${path}/page`, { published: true }, token, 'PUT');
  const invited = await callApi<{ data: { invite_token: string } }>(
    affkit,
    `${path}/partners/${PARTNER.id}/invite`,
    {},
    token,
  );
  await callApi(affkit, '/api/auth/accept-invite', {
    token: invited.data.invite_token,
    password: PARTNER.password,
  });
  const { data } = await callApi<{ data: { slug: string } }>(affkit, path, undefined, token);
  return { id: programId, slug: data.slug };
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

async function measureVisits(browser: Browser, url: string, program: VisitedProgram): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const visit of VISITS) {
    const rounds: { readonly ms: number; readonly shift: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // A new context has an empty cache.
      const context = await browser.newContext({ ...PHONE, baseURL: url });
      if (visit.user) await signIn(context, url, visit.user);
      rounds.push(await measureVisit(context, visit, program));
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

async function signIn(
  context: BrowserContext,
  url: string,
  { email, password }: typeof OWNER,
): Promise<void> {
  const reply = await context.request.post('/api/auth/login', {
    data: { email, password, cookie: true },
    headers: { origin: url },
  });
  if (!reply.ok()) throw new Error(`The sign-in returned ${reply.status()}: ${await reply.text()}`);
}

async function measureVisit(
  context: BrowserContext,
  { path, selector }: Visit,
  program: VisitedProgram,
): Promise<{ ms: number; shift: number }> {
  const page = await context.newPage();
  await slowDown(page);
  await page.addInitScript(watchPage, selector);
  await page.goto(path(program), { waitUntil: 'networkidle' });
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
    // A part that loads later starts as a skeleton. The page is then incomplete again, so discard the time.
    if (!isShown) delete watched.shownAt;
    else watched.shownAt ??= performance.now();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
