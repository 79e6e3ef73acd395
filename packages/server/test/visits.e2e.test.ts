import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { readConfig } from '../src/config.ts';
import { type RunningServer, startServer } from '../src/index.ts';

const SEQUENCES = byDepth({ short: 12, long: 200 });
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
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-blink-features=AutomationControlled',
      // Tabs of a visitor share a process: to start one takes longer than what happens in it.
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
 * Pages of the advertiser's: at `/pending…` the tracker waits for consent, and `/plain` has none at all. Its tag
 * names the address for good, with the integrity of what is there.
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
  // A listening server has an address with a port.
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
  // Bodies of several routes; the test reads the few fields that it names.
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

/** Numbers that look random, the same ones for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % below;
  };
}

type Network = 'well' | 'busy' | 'offline' | 'lost';

/** A visitor, and what the server ought to have counted of him. */
class Visitor {
  clicks = 0;
  readonly steps: string[] = [];
  private network: Network = 'well';
  /** Landings of the last half hour, whether their click was counted or waits. */
  private known = new Set<string>();
  private waiting = 0;
  /** Landing, and whether the visitor has been asked there; undefined on a page without the tracker. */
  private at: { code: string | undefined; pending: string[] | undefined } | undefined;

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
    // Pauses between tries are a matter of the clock alone.
    await context.addInitScript(() => {
      const { setTimeout } = window;
      window.setTimeout = ((work: () => void, ms: number) => setTimeout(work, ms / 100)) as typeof setTimeout;
    });
    const visitor = new Visitor(context, await context.newPage(), randomOf(seed));
    await context.route('**/a/px/click', async (route) => {
      if (visitor.network === 'well') return route.continue();
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

  /** What the tracker does with a landing once it may. */
  private count(url: string): void {
    if (this.known.has(url)) return;
    this.known.add(url);
    if (this.network === 'well' || this.network === 'lost') this.clicks++;
    else this.waiting++;
  }

  private flush(): void {
    if (this.network === 'busy' || this.network === 'offline') return;
    this.clicks += this.waiting;
    this.waiting = 0;
  }

  private landed(url: string): void {
    const code = new URL(url).searchParams.get('aff') ?? undefined;
    if (url.includes('/pending/')) {
      this.at = { code, pending: code === undefined ? [] : [url] };
      return;
    }
    this.at = { code, pending: undefined };
    this.flush();
    if (code !== undefined) this.count(url);
  }

  private async settle(): Promise<void> {
    if (this.at?.pending) return;
    await this.page.evaluate(`affkit.ready().then(async () => {
      const [, flights] = window[Symbol.for('affkit')];
      for (const next of [0, 0]) {
        await new Promise((done) => setTimeout(done));
        while (Object.keys(flights).length) await Promise.all(Object.values(flights));
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
      'ask',
      'deny',
    ]);
    const code = pick(CODES);
    const path = `/${pick(['a', 'b'])}?aff=${code}`;
    this.steps.push(`${kind} ${path} ${this.network}`);
    if (kind === 'land' || this.at === undefined) {
      await this.land(shop + pick(['', '', '/pending']) + base + path);
    } else if (kind === 'reload') {
      const url = this.page.url();
      await this.page.reload();
      this.landed(url);
      await this.settle();
    } else if (kind === 'back') {
      await this.back();
    } else if (kind === 'tab') {
      const left = this.page;
      const url = left.url();
      this.page = await this.context.newPage();
      await left.close();
      await this.land(url);
    } else if (kind === 'route') {
      await this.page.evaluate(`new Promise((done) => {
        navigation.addEventListener('navigatesuccess', () => setTimeout(done), { once: true });
        history.pushState({}, '', '${path}'.replace('/', '${base}/r'));
      })`);
      this.routed(this.page.url());
      await this.settle();
    } else if (kind === 'network') {
      this.network = pick(['well', 'well', 'busy', 'offline', 'lost']);
    } else if (kind === 'leave') {
      const url = `${shop}${base}/left?aff=${code}`;
      await this.page.goto(url);
      this.landed(url);
      await this.land(`${shop}${base}/next`);
    } else if (kind === 'ask' && this.at.pending) {
      const { pending } = this.at;
      this.at.pending = undefined;
      await this.page.evaluate("affkit.consent('granted')");
      this.flush();
      for (const url of pending) this.count(url);
      await this.settle();
    } else if (kind === 'deny') {
      await this.page.evaluate("affkit.consent('denied')");
      this.known.clear();
      this.waiting = 0;
      this.at = undefined;
    }
  }

  private routed(url: string): void {
    const code = new URL(url).searchParams.get('aff') ?? undefined;
    if (!this.at || code === undefined || code === this.at.code) return;
    this.at.code = code;
    if (this.at.pending) this.at.pending.push(url);
    else this.count(url);
  }

  private async back(): Promise<void> {
    await this.page.evaluate('window.isSame = true');
    const response = await this.page.goBack({ waitUntil: 'load' });
    const isSame = await this.page.evaluate('window.isSame === true');
    const url = this.page.url();
    if (url === 'about:blank') this.at = undefined;
    else if (isSame && !response) this.routed(url);
    else this.landed(url);
    if (this.at) await this.settle();
  }

  /** With the network well again, one more page brings out all that waits. */
  async end(base: string): Promise<void> {
    this.network = 'well';
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

test(`in ${SEQUENCES} sequences of visits the server counts what the visits were`, async () => {
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
