import { WEBHOOK_EVENT_TYPES } from '@affkit/protocol';
import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { byDepth, sampleCases } from '../../../core/test/support/test-depth.ts';
import {
  expectAccessible,
  expectNoOverflow,
  type OpenContext,
  openContext,
  type Screen,
  settle,
  setUpDashboard,
  signIn,
  site,
} from './browser.ts';

/** Nothing listens on this port, so the log of the endpoint shows an error. */
const CLOSED_HOST = '127.0.0.1:9';

setUpDashboard(() => Promise.resolve({ WEBHOOK_ALLOW_HOSTS: CLOSED_HOST }));

beforeAll(async () => {
  const path = `/api/advertiser/affiliate-programs/${site.full}/webhook-endpoints`;
  const url = `http://${CLOSED_HOST}/${'webhooks-of-the-shop/'.repeat(8)}`;
  const body = { url, description: 'Tea shop', event_types: WEBHOOK_EVENT_TYPES };
  const { id } = await site.call<{ id: number }>('POST', path, body);
  const { delivery_id: deliveryId } = await site.call<{ delivery_id: number }>('POST', `${path}/${id}/test`);
  // The paths below contain these ids.
  expect([id, deliveryId]).toEqual([1, 1]);
});

const DESKTOP: Screen = { width: 1280, colorScheme: 'light' };
const PHONE: Screen = { width: 390, colorScheme: 'dark' };
const OTHERS: readonly Screen[] = [
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
];
const SCREENS = byDepth<readonly Screen[]>({ short: [DESKTOP, PHONE], long: [DESKTOP, PHONE, ...OTHERS] });

/**
 * The limit is not 0, because long names may make table rows higher when the data arrives. Chromium considers a
 * layout shift of up to 0.1 good.
 */
const MAX_SHIFT = 0.02;

/** Paths relative to the pages of a program. */
const PAGES = [
  '',
  '/partners',
  '/partners/1',
  '/partners/import',
  '/why',
  '/commissions',
  '/payouts',
  '/payouts/files',
  '/policies',
  '/events',
  '/links',
  '/webhooks',
  '/webhooks/1',
  '/webhooks/1?delivery=1',
  '/setup',
  '/settings',
];

/** The pages of the workspace and of the user, each with the API route that it reads. */
const OTHER_PAGES = [
  { path: '/w/1/members', data: '**/api/advertiser/members*' },
  { path: '/w/1/keys', data: '**/api/advertiser/api-keys*' },
  { path: '/w/1/audit', data: '**/api/advertiser/audit-log*' },
  { path: '/w/1/emails', data: '**/email-templates' },
  { path: '/w/1/emails?tab=sent', data: '**/api/advertiser/emails*' },
  { path: '/w/1/processor', data: '**/api/advertiser/processor-connections*' },
  { path: '/notifications', data: '**/api/advertiser/notifications*' },
  { path: '/account', data: '**/api/auth/sessions*' },
];

/** The pages that require no session. */
const SIGNED_OUT_PAGES = ['/forgot-password', '/reset', '/reset#affr_x', '/invite#affi_x'];

const DATA = '**/api/{advertiser/affiliate-programs/*,tracking/events}/**';

type Reply = (route: Route) => unknown;

const fail: Reply = (route) =>
  route.fulfill({
    status: 500,
    json: { error: 'Something went wrong', code: 'internal_error', request_id: 'req_1' },
  });

const forbid: Reply = (route) =>
  route.fulfill({
    status: 403,
    json: { error: 'Forbidden', code: 'forbidden', request_id: 'req_1' },
  });

const emptyList: Reply = (route) =>
  route.fulfill({
    json: {
      success: true,
      data: [],
      meta: { pagination: { page: 1, pageSize: 25, pageCount: 0, total: 0 } },
    },
  });

/** Pairs each page with all replies, or in `npm test` with only one of them. */
function withReplies<T>(pages: readonly T[], replies: Readonly<Record<string, Reply>>) {
  const all = Object.entries(replies);
  return pages.map((page, index) => {
    const sample = byDepth({ short: all.filter((_, at) => at === index % all.length), long: all });
    return { page, names: sample.map(([name]) => name), replies: sample.map(([, reply]) => reply) };
  });
}

const numbered = SCREENS.map((screen, number) => ({ ...screen, screen, number }));

describe.each(numbered)('at $width px, $colorScheme', ({ screen, number }) => {
  /**
   * In `npm test`, a page is checked with data on one of the two screens. On the other screen, it is checked in
   * another state.
   */
  const withData = <T>(pages: readonly T[]) => sampleCases(pages, 2, number);
  const withoutData = <T>(pages: readonly T[]) => sampleCases(pages, 2, number + 1);
  const [emptyPages, failingPages] = byDepth({
    short: [sampleCases(withoutData(PAGES), 2), sampleCases(withoutData(PAGES), 2, 1)],
    long: [PAGES, PAGES],
  });
  let opened: OpenContext;
  let page: Page;

  beforeAll(async () => {
    opened = await openContext(screen);
    page = await opened.context.newPage();
    await page.clock.install();
    await page.goto('/app/sign-in');
    await page.getByLabel('Email').waitFor();
    await expectAccessible(page);
    await signIn(page);
    return () => opened.context.close();
  });

  /**
   * Returns the problems since the last call. Browser messages about intended error replies are left out. Messages
   * about password forms without an email address are left out too: these forms are opened by links from emails, and
   * only the server knows the address. The last pattern matches the message that the email frame blocks the script of
   * Playwright's clock.
   */
  function takeProblems(): string[] {
    return opened.problems
      .splice(0)
      .filter(
        (text) =>
          !/^Failed to load resource|^\[DOM\] Password forms should have|^Blocked script execution in '[^']*\/email-templates\/preview/.test(
            text,
          ),
      );
  }

  const checkState = byDepth({
    short: () => expectNoOverflow(page),
    long: () => expectAccessible(page),
  });

  /** Opens a page and checks it twice: while its data is loading, and after the page has received this reply. */
  async function checkWith(path: string, data: string, reply: Reply): Promise<void> {
    const waiting: Route[] = [];
    let answer: Reply = (route) => waiting.push(route);
    await page.route(data, (route) => answer(route));
    await page.goto(`/app${path}`);
    await page.locator('h1').waitFor();
    await checkState();
    answer = reply;
    for (const route of waiting) await reply(route);
    await skipRetryDelays();
    await settle(page);
    await checkState();
    await page.unrouteAll();
  }

  /** Advances the clock of the page until the dashboard has stopped retrying. */
  async function skipRetryDelays(): Promise<void> {
    while ((await page.locator('[aria-busy="true"], .skeleton').count()) > 0) {
      await page.clock.fastForward(1_000);
    }
  }

  /**
   * Checks that the HTML names all scripts. Otherwise, the browser would discover them one after another.
   * Also checks that the layout shifts while loading are smaller than `MAX_SHIFT`.
   */
  async function expectSmoothLoad(): Promise<void> {
    const found = await page.evaluate(async () => {
      // The installed clock replaces `performance.getEntriesByType` with a function that returns nothing.
      const entriesOf = (type: string) => {
        const observer = new PerformanceObserver(() => {});
        observer.observe({ type, buffered: true });
        return observer.takeRecords();
      };
      const shifts = entriesOf('layout-shift') as (PerformanceEntry & { readonly value: number })[];
      const html = await (await fetch(location.href)).text();
      return {
        lateScripts: entriesOf('resource')
          .map(({ name }) => new URL(name).pathname)
          // Ignore scripts that only some states of a page need. `refusals` contains the texts of rejected calls on the
          // page Setup, and imports `rolldown-runtime`. `keep-focus` is loaded if a dialog opens with the page.
          .filter(
            (path) => path.endsWith('.js') && !/\/(keep-focus|refusals|rolldown-runtime)-[^/]*$/.test(path),
          )
          .filter((path) => !html.includes(path)),
        shift: shifts.reduce((sum, { value }) => sum + value, 0),
      };
    });
    expect(found.lateScripts).toEqual([]);
    expect(found.shift).toBeLessThan(MAX_SHIFT);
  }

  test.each(withData(PAGES))('%s shows a full program', async (path) => {
    await page.goto(`/app/p/${site.full}${path}`);
    await settle(page);
    await expectSmoothLoad();
    await expectAccessible(page);
    expect(takeProblems()).toEqual([]);
  });

  test.each(withData(OTHER_PAGES))('$path shows data', async ({ path }) => {
    await page.goto(`/app${path}`);
    await settle(page);
    await expectSmoothLoad();
    await expectAccessible(page);
    expect(takeProblems()).toEqual([]);
  });

  test.each(withData(SIGNED_OUT_PAGES))('%s needs no session', async (path) => {
    await page.goto(`/app${path}`);
    await settle(page);
    await expectSmoothLoad();
    await expectAccessible(page);
    expect(takeProblems()).toEqual([]);
  });

  test.each(emptyPages)('%s shows an empty program', async (path) => {
    await page.goto(`/app/p/${site.empty}${path}`);
    await settle(page);
    await checkState();
    expect(takeProblems()).toEqual([]);
  });

  test.each(withReplies(failingPages, { fail, forbid }))(
    '$page shows that it is loading, then the reply $names',
    async ({ page: path, replies }) => {
      for (const reply of replies) await checkWith(`/p/${site.full}${path}`, DATA, reply);
      expect(takeProblems()).toEqual([]);
    },
  );

  test.each(withReplies(withoutData(OTHER_PAGES), { emptyList, fail, forbid }))(
    '$page.path shows that it is loading, then the reply $names',
    async ({ page: { path, data }, replies }) => {
      for (const reply of replies) await checkWith(path, data, reply);
      expect(takeProblems()).toEqual([]);
    },
  );

  if (screen === PHONE) {
    test('a button with the number of active filters opens the filters of a list', async () => {
      await page.goto(`/app/p/${site.full}/partners?status=approved`);
      await settle(page);
      const status = page.getByRole('combobox', { name: 'Status' });
      expect(await status.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Filters (1)' }).click();
      await status.selectOption('pending');
      await page.getByRole('link', { name: 'Ben' }).waitFor();
      await expectAccessible(page);
      expect(takeProblems()).toEqual([]);
    });
  }

  test('a sale is explained', async () => {
    await page.goto(`/app/p/${site.full}/why?q=${site.transactionId}`);
    await settle(page);
    await page.getByText('What happened').waitFor();
    await expectAccessible(page);
    expect(takeProblems()).toEqual([]);
  });
});
