import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Route,
} from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type DashboardSite, startDashboardSite } from './site.ts';

/** The source of axe. It is minified, because the browser compiles it again for every document. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** After this time, a page counts as hanging. */
const HANG_MS = 60_000;

/** The site of a test file. */
export let site: DashboardSite;
/** All test files of a worker share the browser, which exits with the worker. */
let browser: Browser | undefined;

async function getBrowser(): Promise<Browser> {
  browser ??= await chromium.launch({
    executablePath: process.env['HEADLESS_SHELL_PATH'] ?? '/usr/bin/chromium',
    // `shop.lan` acts as a host in a local network, where the dashboard is used without https.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP shop.lan 127.0.0.1'],
  });
  return browser;
}

/**
 * Starts a site for the test file.
 * @param prepare returns additional environment variables for the server
 */
export function setUpDashboard(prepare?: () => Promise<Readonly<Record<string, string>>>): void {
  beforeAll(async () => {
    site = await startDashboardSite(await prepare?.());
  });
  afterAll(() => site?.close());
}

export interface Screen {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  /** @default true */
  readonly javaScript?: boolean;
}

export interface OpenContext {
  readonly context: BrowserContext;
  /** Console messages, page errors, and violations of the content security policy. */
  readonly problems: string[];
}

/** Opens a new browser profile. @param baseURL the origin of the site */
export async function openContext(
  { width, colorScheme, javaScript = true }: Screen,
  baseURL = site.url,
): Promise<OpenContext> {
  const isPhone = width < 600;
  const context = await (await getBrowser()).newContext({
    baseURL,
    viewport: { width, height: isPhone ? 844 : 860 },
    colorScheme,
    javaScriptEnabled: javaScript,
    hasTouch: isPhone,
    isMobile: isPhone,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(HANG_MS);
  const problems: string[] = [];
  context.on('console', (message) => problems.push(message.text()));
  context.on('weberror', (error) => problems.push(String(error.error())));
  return { context, problems };
}

/** Signs in without a page, which takes half a second less CPU time than the form. */
export async function signIn(page: Page, user = site.owner): Promise<void> {
  const reply = await page.context().request.post(`${site.url}/api/auth/login`, {
    data: { ...user, cookie: true },
    headers: { origin: site.url },
  });
  expect(reply.status()).toBe(200);
}

/** Signs in with the form on the page. */
export async function signInByForm(page: Page, { email, password } = site.owner): Promise<void> {
  await page.goto('/app/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/app\/p\/\d+$/);
}

/** Waits until nothing on the page is loading. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .skeleton') === null);
}

/**
 * Waits until buttons accept clicks again, then presses Enter, which clicks the button of the form. After a click, a
 * button ignores further clicks until two timers have run. Without the wait, the browser could handle the key before
 * these timers, and the button would ignore the key.
 */
export async function pressEnterAgain(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => setTimeout(() => setTimeout(resolve))));
  await page.keyboard.press('Enter');
}

/** Sends the request of a route to the server, but the page gets no reply. */
export async function loseReply(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

/** More than the number of focusable elements on any tested page. */
const MAX_TABS = 120;

/** Moves the focus to the element with the Tab key only. @throws if the element cannot be reached */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < MAX_TABS; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${String(target)}`);
}

/** Moves the focus to the element with the Tab key, and presses Enter. */
export async function activate(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Opens a page with its keyboard shortcut: `g`, then `key`. */
export async function openByKeys(page: Page, key: string, title: string): Promise<void> {
  await settle(page);
  await page.keyboard.press('g');
  await page.keyboard.press(key);
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  await settle(page);
}

/** Checks that the page does not scroll horizontally. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(0, scrollWidth - clientWidth);
  });
  expect(overflow).toBe(0);
}

/** Checks the page with axe, and checks that it does not scroll horizontally. */
export async function expectAccessible(page: Page): Promise<void> {
  // `evaluate` uses the browser's debugging protocol, to which the content security policy does not apply.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      resultTypes: ['violations'],
      // axe cannot reach into the sandboxed frame of an email, and the browser logs the attempt.
      iframes: false,
    });
    return {
      violations: violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
      ),
    };
  });
  expect(found).toEqual({ violations: [] });
  await expectNoOverflow(page);
}
