import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { AffkitGlobal } from '../src/index.ts';
import { type Site, startSite } from './site.ts';

declare global {
  /** The tracker, in code that runs in the page. */
  const affkit: AffkitGlobal;
}

/** The built script. */
const script = readFileSync(`${import.meta.dirname}/../dist/affkit.js`, 'utf8');

/** The user agent of a visitor, because the tracker ignores headless browsers. */
export const visitor = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0',
  ignoreHTTPSErrors: true,
};
/** A whole browser, for tests of what the headless shell lacks: settings of cookies, and prerendering. */
export const wholeBrowser = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
export const chromiumOptions: LaunchOptions = {
  executablePath: process.env['HEADLESS_SHELL_PATH'] ?? wholeBrowser,
  args: [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-blink-features=AutomationControlled',
    '--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.co.uk 127.0.0.1, MAP co.uk 127.0.0.1',
  ],
};

let browser: Browser;
/** The site of this test file. `context` and `page` belong to the running test. */
export let site: Site;
export let context: BrowserContext;
export let page: Page;
/** Uncaught errors and console lines of the pages. */
export const consoleOutput: string[] = [];

/** Starts browser and site once for the test file, and a new profile and page for each test. */
export function setUp(launch: LaunchOptions = {}): void {
  beforeAll(async () => {
    site = await startSite(script);
    browser = await chromium.launch({ ...chromiumOptions, ...launch });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });
  beforeEach(async () => {
    site.reset();
    consoleOutput.length = 0;
    context = await browser.newContext(visitor);
    context.on('weberror', (error) => consoleOutput.push(String(error.error())));
    context.on('console', (message) => consoleOutput.push(message.text()));
    page = await context.newPage();
  });
  afterEach(() => context.close());
}

/** Returns the tracker's tag with additional attributes. */
export const tag = (attributes = '', from = site.track) =>
  `<script src="${from}/js/affkit.js" ${attributes}></script>`;

/** Opens a page of the shop. @returns the click id when the tracker is ready */
export async function visit(path: string, on: Page = page): Promise<string | null> {
  await on.goto(site.shop + path);
  return on.evaluate(() => affkit.ready());
}

/** Returns the cookies whose name starts with `service_click_id`. */
export const clickCookies = async () =>
  (await context.cookies()).filter(({ name }) => name.startsWith('service_click_id'));

/** Returns the landing URLs that were sent. */
export const landings = () => site.requests.map(({ body }) => body['affiliate_url']);
