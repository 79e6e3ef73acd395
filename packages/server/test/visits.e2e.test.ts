import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../../core/test/support/create-random.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { readConfig } from '../src/config.ts';
import { type RunningServer, startServer } from '../src/index.ts';

const SEQUENCES = byDepth({ short: 6, long: 200 });
const STEPS = 5;
const CODES = ['anna', 'bert', 'cleo'] as const;
const OWNER = { ADMIN_EMAIL: 'owner@shop.example', ADMIN_PASSWORD: 'correct horse battery' };

let browser: Browser;
let server: RunningServer;
let shop: string;

beforeAll(async () => {
  server = await startServer(
    readConfig({
      PORT: '0',
      DATABASE_URL: 'sqlite::memory:',
      AFFKIT_SECRET: 's'.repeat(32),
      GEOIP: 'off',
      PUBLIC_RATE_LIMIT: '0',
      TRACKER_SCRIPT_PATH: '/a/shop.js',
      TRACKING_PATH: '/a/px',
      ...OWNER,
    }),
    { logger: pino({ level: 'silent' }) },
  );
  shop = await startShop();
  browser = await chromium.launch({
    executablePath: process.env['HEADLESS_SHELL_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-blink-features=AutomationControlled',
      // All tabs share one process, because starting a process takes longer than a step of the test.
      '--renderer-process-limit=1',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
    ],
  });
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/**
 * Starts the site of the advertiser. On `/pending…`, the tracker waits for consent. `/plain…` has no tracker.
 * The tag uses the versioned path with `integrity`.
 */
async function startShop(): Promise<string> {
  const { path, integrity } = server.tracker;
  const track = `http://track.test:${server.port}`;
  const pages = createServer((request, response) => {
    const consent = request.url?.startsWith('/pending') ? 'pending' : 'granted';
    const tag = `<script src="${track}${path}" integrity="${integrity}" crossorigin data-consent="${consent}"></script>`;
    response.setHeader('content-type', 'text/html').setHeader('cache-control', 'no-store');
    response.end(`<!doctype html><title>Shop</title>${request.url?.startsWith('/plain') ? '' : tag}`);
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  pages.unref();
  // The cast is safe because a listening server has an address with a port.
  const origin = `http://www.shop.test:${(pages.address() as AddressInfo).port}`;
  await createProgram(origin);
  return origin;
}

let token = '';
let partners = '';
async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect({ path, ok: response.ok }).toEqual({ path, ok: true });
  // The type contains the fields of all routes that this test calls.
  return (await response.json()) as {
    token: string;
    data: { id: number; clicks: number }[] & { id: number };
  };
}

async function createProgram(siteUrl: string): Promise<void> {
  const credentials = { email: OWNER.ADMIN_EMAIL, password: OWNER.ADMIN_PASSWORD };
  token = (await call('POST', '/api/auth/login', credentials)).token;
  const programs = '/api/advertiser/affiliate-programs';
  const commission = { type: 'percent', rate: 20 };
  const { data } = await call('POST', programs, { name: 'Shop', site_url: siteUrl, commission });
  partners = `${programs}/${data.id}/partners`;
  for (const code of CODES)
    await call('POST', partners, { name: code, email: `${code}@partner.example`, code });
}

/** `busy`: The server responds with 503. `lost`: The server records the click, but its response is lost. */
type Network = 'online' | 'busy' | 'offline' | 'lost';

/** A browser, and a model that counts the clicks that the server should have recorded for this browser. */
class Visitor {
  clicks = 0;
  readonly steps: string[] = [];
  private network: Network = 'online';
  /**
   * Landing URLs whose click has been sent or queued. The tracker does not track them again within 30
   * minutes.
   */
  private known = new Set<string>();
  /** Number of queued clicks. */
  private queued = 0;
  /**
   * The code of the current page, and the landing URLs that wait for consent. `pending` is undefined once
   * consent is given. The whole value is undefined on a page without the tracker.
   */
  private current: { code: string | undefined; pending: string[] | undefined } | undefined;

  private readonly context: BrowserContext;
  private page: Page;
  private readonly random: (below: number) => number;

  private constructor(context: BrowserContext, page: Page, random: (below: number) => number) {
    this.context = context;
    this.page = page;
    this.random = random;
  }

  static async arrive(seed: number): Promise<Visitor> {
    const context = await browser.newContext({
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0',
    });
    // Makes the retry delays of the tracker 100 times shorter.
    await context.addInitScript(() => {
      const { setTimeout } = window;
      window.setTimeout = ((work: () => void, ms: number) => setTimeout(work, ms / 100)) as typeof setTimeout;
    });
    const visitor = new Visitor(context, await context.newPage(), createRandom(seed));
    await context.route('**/a/px/click', async (route) => {
      if (visitor.network === 'online') return route.continue();
      if (visitor.network === 'offline') return route.abort('internetdisconnected');
      const origin = (await route.request().headerValue('origin')) ?? '';
      if (visitor.network === 'lost') {
        const body = route.request().postData();
        await fetch(`${server.url}/a/px/click`, { method: 'POST', headers: { origin }, body });
        return route.abort('connectionreset');
      }
      const headers = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
      return route.fulfill({ status: 503, headers, json: { error: 'busy', code: 'unavailable' } });
    });
    return visitor;
  }

  /** Models how the tracker handles a landing after consent. */
  private count(url: string): void {
    if (this.known.has(url)) return;
    this.known.add(url);
    if (this.network === 'online' || this.network === 'lost') this.clicks++;
    else this.queued++;
  }

  private flush(): void {
    if (this.network === 'busy' || this.network === 'offline') return;
    this.clicks += this.queued;
    this.queued = 0;
  }

  private landed(url: string): void {
    const code = new URL(url).searchParams.get('aff') ?? undefined;
    if (url.includes('/pending/')) {
      this.current = { code, pending: code === undefined ? [] : [url] };
      return;
    }
    this.current = { code, pending: undefined };
    this.flush();
    if (code !== undefined) this.count(url);
  }

  private async settle(): Promise<void> {
    if (this.current?.pending) return;
    await this.page.evaluate(`affkit.ready().then(async () => {
      const [, flights] = window[Symbol.for('affkit')];
      for (const next of [0, 0]) {
        await new Promise((done) => requestIdleCallback(done));
        // Ignore the entries of visits, whose keys are URLs. The tracker keeps them after the visits have ended.
        const pending = () => Object.keys(flights).some((key) => !key.startsWith('http'));
        while (pending()) await Promise.all(Object.values(flights));
      }
    })`);
  }

  async land(url: string): Promise<void> {
    await this.page.goto(url);
    this.landed(url);
    await this.settle();
  }

  async step(base: string): Promise<void> {
    const pick = <T>(choices: readonly T[]) => choices[this.random(choices.length)] as T;
    const kind = pick([
      'land',
      'land',
      'reload',
      'back',
      'tab',
      'route',
      'route',
      'network',
      'leave',
      'grant',
      'deny',
    ]);
    const code = pick(CODES);
    const path = `/${pick(['a', 'b'])}?aff=${code}`;
    this.steps.push(`${kind} ${path} ${this.network}`);
    if (kind === 'land' || this.current === undefined) {
      await this.land(shop + pick(['', '', '/pending']) + base + path);
    } else if (kind === 'reload') {
      const url = this.page.url();
      await this.page.reload();
      this.landed(url);
      await this.settle();
    } else if (kind === 'back') {
      await this.back();
    } else if (kind === 'tab') {
      const closed = this.page;
      const url = closed.url();
      this.page = await this.context.newPage();
      await closed.close();
      await this.land(url);
    } else if (kind === 'route') {
      await this.page.evaluate(`new Promise((done) => {
        navigation.addEventListener('navigatesuccess', () => setTimeout(done), { once: true });
        history.pushState({}, '', '${path}'.replace('/', '${base}/r'));
      })`);
      this.routed(this.page.url());
      await this.settle();
    } else if (kind === 'network') {
      this.network = pick(['online', 'online', 'busy', 'offline', 'lost']);
    } else if (kind === 'leave') {
      const url = `${shop}${base}/left?aff=${code}`;
      await this.page.goto(url);
      this.landed(url);
      await this.land(`${shop}${base}/next`);
    } else if (kind === 'grant' && this.current.pending) {
      const { pending } = this.current;
      this.current.pending = undefined;
      await this.page.evaluate("affkit.consent('granted')");
      this.flush();
      for (const url of pending) this.count(url);
      await this.settle();
    } else if (kind === 'deny') {
      await this.page.evaluate("affkit.consent('denied')");
      this.known.clear();
      this.queued = 0;
      this.current = undefined;
    }
  }

  private routed(url: string): void {
    const code = new URL(url).searchParams.get('aff') ?? undefined;
    if (!this.current || code === undefined || code === this.current.code) return;
    this.current.code = code;
    if (this.current.pending) this.current.pending.push(url);
    else this.count(url);
  }

  private async back(): Promise<void> {
    await this.page.evaluate('window.isSame = true');
    const response = await this.page.goBack({ waitUntil: 'load' });
    const isSame = await this.page.evaluate('window.isSame === true');
    const url = this.page.url();
    if (url === 'about:blank') this.current = undefined;
    else if (isSame && !response) this.routed(url);
    else this.landed(url);
    if (this.current) await this.settle();
  }

  /** Loads one more page while online. The tracker then sends all queued clicks. */
  async end(base: string): Promise<void> {
    this.network = 'online';
    await this.land(`${shop}${base}/end`);
    await this.context.close();
  }
}

async function run(seed: number): Promise<{ seed: number; clicks: number; steps: string[] }> {
  const base = `/s${seed}`;
  const visitor = await Visitor.arrive(seed);
  for (let step = 0; step < STEPS; step++) await visitor.step(base);
  await visitor.end(base);
  return { seed, clicks: visitor.clicks, steps: visitor.steps };
}

test(`records the expected clicks for ${SEQUENCES} random sequences of visits`, async () => {
  const expected: Awaited<ReturnType<typeof run>>[] = [];
  const seeds = Array.from({ length: SEQUENCES }, (_, index) => index + 1);
  const work = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) expected.push(await run(seed));
  };
  await Promise.all([work(), work(), work(), work()]);
  const { read } = server.affkit.runtime.engine;
  const events = await read.selectFrom('click_events').select('page_url').execute();
  const counted = (seed: number) => events.filter(({ page_url }) => page_url?.includes(`/s${seed}/`)).length;
  expect(expected.filter(({ seed, clicks }) => counted(seed) !== clicks)).toEqual([]);
  expect(events.length).toBeGreaterThan(SEQUENCES);
  const { data } = await call('GET', partners);
  expect(data.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(events.length);
}, 600_000);
