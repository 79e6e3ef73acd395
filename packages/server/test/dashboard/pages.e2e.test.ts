import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  type OpenContext,
  openContext,
  type Screen,
  settle,
  setUpDashboard,
  signIn,
  site,
} from './browser.ts';

setUpDashboard();

const isLong = process.env['AFFKIT_TEST_LONG'] === '1';
const DESKTOP: Screen = { width: 1280, colorScheme: 'light' };
const PHONE: Screen = { width: 390, colorScheme: 'dark' };
const OTHERS: readonly Screen[] = [
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
];
const SCREENS = [DESKTOP, PHONE, ...(isLong ? OTHERS : [])];

/** Paths below a program. */
const PAGES = ['', '/partners', '/why', '/commissions', '/payouts', '/policies'];

const DATA = '**/api/{advertiser,tracking}/**';

const STATES = {
  error: (route: Route) =>
    route.fulfill({
      status: 500,
      json: { error: 'Something went wrong', code: 'internal_error', request_id: 'req_1' },
    }),
  forbidden: (route: Route) =>
    route.fulfill({
      status: 403,
      json: { error: 'Forbidden', code: 'forbidden', request_id: 'req_1' },
    }),
};

describe.each(SCREENS)('at $width px, $colorScheme', (screen) => {
  let opened: OpenContext;
  let page: Page;

  beforeAll(async () => {
    opened = await openContext(screen);
    page = await opened.context.newPage();
    await page.goto('/app/sign-in');
    await page.getByLabel('Email').waitFor();
    await expectAccessible(page);
    await signIn(page);
    return () => opened.context.close();
  });

  /** Messages since the last call, without those of the browser about replies that are errors by intent. */
  function takeProblems(): string[] {
    return opened.problems.splice(0).filter((text) => !text.startsWith('Failed to load resource'));
  }

  test.each(PAGES)('%s shows a full and an empty program', async (path) => {
    for (const program of [site.full, site.empty]) {
      await page.goto(`/app/p/${program}${path}`);
      await settle(page);
      await expectAccessible(page);
    }
    expect(takeProblems()).toEqual([]);
  });

  test.each(PAGES)('%s shows errors, missing rights, and that it is loading', async (path) => {
    await page.goto(`/app/p/${site.full}`);
    await settle(page);
    for (const reply of Object.values(STATES)) {
      await page.route(`${DATA}affiliate-programs/*/**`, reply);
      await page.goto(`/app/p/${site.full}${path}`);
      await settle(page);
      await expectAccessible(page);
      await page.unrouteAll();
    }
    await page.route(`${DATA}affiliate-programs/*/**`, () => {});
    await page.goto(`/app/p/${site.full}${path}`);
    await page.locator('h1').waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    expect(takeProblems()).toEqual([]);
  });

  test('a sale is explained', async () => {
    await page.goto(`/app/p/${site.full}/why?q=${site.transactionId}`);
    await settle(page);
    await page.getByText('What happened').waitFor();
    await expectAccessible(page);
    expect(takeProblems()).toEqual([]);
  });
});
