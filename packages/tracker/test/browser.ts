import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { AffkitGlobal } from '../src/index.ts';
import type { Engine, EngineOptions } from './engines/engine.ts';
import { engineName, launchEngine } from './engines/index.ts';
import { type Site, startSite, tracked } from './site.ts';

declare global {
  /** The tracker's global variable, for code that runs in the page. */
  const affkit: AffkitGlobal;
}

/** The built script. */
const script = readFileSync(`${import.meta.dirname}/../dist/affkit.js`, 'utf8');

let engine: Engine;
/** The site of this test file. `context` and `page` belong to the current test. */
export let site: Site;
export let context: BrowserContext;
export let page: Page;
/** Uncaught errors and console lines of all pages. */
export const consoleOutput: string[] = [];

/** Starts the browser and the site once per test file, and a new profile and page for each test. */
export function setUp(options: EngineOptions = {}): void {
  beforeAll(async () => {
    site = await startSite(script);
    engine = await launchEngine(options);
  });
  afterAll(async () => {
    await engine?.close();
    await site?.close();
  });
  beforeEach(async () => {
    site.reset();
    consoleOutput.length = 0;
    // Tests use Playwright's types. The objects of engines other than Chromium have only the members of `Context`.
    context = (await engine.newContext((line) => consoleOutput.push(line))) as BrowserContext;
    page = await context.newPage();
  });
  afterEach(() => context.close());
}

/** Returns the tracker's tag with additional attributes. */
export const tag = (attributes = '', from = site.track) =>
  `<script src="${from}/js/affkit.js" ${attributes}></script>`;

/** Returns the linker's tag with additional attributes. */
export const linkerTag = (attributes = '') =>
  `<script src="${site.track}/js/affkit-linker.js" ${attributes}></script>`;

/** Opens a page of the shop. @returns the click id once the tracker is ready */
export async function visit(path: string, on: Page = page): Promise<string | null> {
  await on.goto(site.shop + path);
  return on.evaluate(() => affkit.ready());
}

/** Opens a page without a tracker. Its response sets a cookie, as another host of the site could do. */
export async function setCookie(cookie: string, shop = site.shop): Promise<void> {
  site.pages.set('/cookie', { html: '<title>Cookie</title>', headers: { 'Set-Cookie': cookie } });
  await page.goto(`${shop}/cookie`);
}

/** Opens a URL through a link on the page `/link` of another site. The other site becomes the referrer. */
export async function follow(url: string, from: string): Promise<void> {
  if (engineName === 'chromium') {
    // This sets the same referrer as a link does, and is faster.
    await page.goto(url, { referer: `${from}/link` });
    return;
  }
  site.pages.set('/link', `<meta name=referrer content=unsafe-url><a id=link href="${url}">link</a>`);
  await page.goto(`${from}/link`);
  await page.click('#link');
  await page.waitForFunction(() => document.readyState === 'complete' && location.pathname !== '/link');
}

/** Returns all console lines of the page so far. */
export async function readConsole(): Promise<string[]> {
  // Wait for any response of the page. It arrives after all earlier console lines.
  await page.title();
  return consoleOutput;
}

/** Returns the cookies whose name starts with `service_click_id`. */
export const clickCookies = async () =>
  (await context.cookies()).filter(({ name }) => name.startsWith('service_click_id'));

/** Returns the landing URLs that were sent. */
export const landings = () => site.requests.map(({ body }) => body['affiliate_url']);

/** Returns the kind and the click id of each request, in order. */
export const sent = () => site.requests.map(({ path, body }) => [path.replace(/.*\//, ''), body['click_id']]);

/** Returns the number of different idempotency keys that were sent. */
export const countKeys = () =>
  new Set(site.requests.map(({ body }) => body.additional_data?.idempotency_key)).size;

/** Holds back the responses to clicks. @returns a function that releases them */
export function holdClicks(): () => void {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  site.respond = async (request) => {
    if (request.path.endsWith('/click')) await held;
    return tracked(request);
  };
  return release;
}
