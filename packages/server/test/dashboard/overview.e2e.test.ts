import type { Page, Request } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoOverflow,
  type OpenContext,
  openContext,
  settle,
  setUpDashboard,
  signIn,
  site,
} from './browser.ts';

setUpDashboard();

let opened: OpenContext;
let page: Page;

beforeAll(async () => {
  opened = await openContext({ width: 1280, colorScheme: 'light' });
  page = await opened.context.newPage();
  await signIn(page);
  return () => opened.context.close();
});

async function openOverview(): Promise<void> {
  await page.goto(`/app/p/${site.full}`);
  await settle(page);
}

/** Returns the sum of all unexpected layout shifts since the page was opened. */
function layoutShift(): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const shifts = list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          })[];
          resolve(shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0));
        }).observe({ type: 'layout-shift', buffered: true });
        // Without layout shifts, the observer is never called.
        setTimeout(() => resolve(0), 500);
      }),
  );
}

test('sends each API request once, and shows the frame of the page before the data arrives', async () => {
  const paths: string[] = [];
  const note = (request: Request) => paths.push(new URL(request.url()).pathname);
  page.on('request', note);
  await page.goto(`/app/p/${site.full}`);
  await settle(page);
  page.off('request', note);
  const api = paths.filter((path) => path.startsWith('/api/'));
  expect(api.length).toBeGreaterThan(8);
  expect(api.filter((path, index) => api.indexOf(path) !== index)).toEqual([]);
  const html = await (await page.request.get(`/app/p/${site.full}`)).text();
  expect(html).toContain('<div id="app"><div class="shell" aria-busy="true">');
  expect(await (await page.request.get('/app/sign-in')).text()).toContain('<div id="app"></div>');
});

test('loads without layout shift, supports the keyboard, and keeps period, currency, and breakdown in the URL', async () => {
  await openOverview();
  expect(await layoutShift()).toBe(0);
  await page.keyboard.press('w');
  await page.waitForURL(/period=7d/);
  expect(await page.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed')).toBe('true');

  await page.getByRole('button', { name: /^Revenue/ }).click();
  await page.getByLabel('Amounts in').selectOption('EUR');
  await page.getByRole('button', { name: /^Revenue, EUR €9,999,999,999\.99 New/ }).waitFor();
  const chart = page.getByRole('slider', { name: 'Revenue, EUR' });
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/: €9,999,999,999\.99$/);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expectAccessible(page);
  const table = page.getByRole('region', { name: 'Revenue, EUR' });
  expect(await table.getByRole('row').count()).toBe(1 + 7);

  const ranking = page.getByRole('list', { name: 'Top partners' });
  expect(await ranking.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^Ana\s+€9,999,999,999\.99$/),
  ]);

  // A long name is cut off, and an amount never has a second line.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByLabel('Amounts in').selectOption('JPY');
  await ranking.getByText('¥999,999,999,999').waitFor();
  const lines = page.locator('.measures .value, .bars li > :last-child');
  const heights = await lines.evaluateAll((values) => values.map((value) => value.clientHeight));
  expect(Math.max(...heights)).toBeLessThan(30);
  await expectNoOverflow(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('Amounts in').selectOption('EUR');

  await page.getByRole('link', { name: 'Referrers' }).click();
  await page.getByRole('list', { name: 'Referrers' }).getByText('blog.example').waitFor();
  await page.reload();
  await page.getByRole('list', { name: 'Referrers' }).getByText('blog.example').waitFor();
  expect(await page.getByLabel('Amounts in').inputValue()).toBe('EUR');
});

test('reads the breakdown again until every event is counted', async () => {
  const uncounted = { data: [], meta: { by: 'country', dateFrom: '', dateTo: '', as_of: null } };
  await page.route('**/breakdown?*', (route) => route.fulfill({ json: { success: true, ...uncounted } }), {
    times: 1,
  });
  await openOverview();
  const panel = page.getByRole('region', { name: 'Where visitors come from' });
  await panel.getByText('Older events are still being counted.').waitFor();
  await panel.getByRole('list', { name: 'Countries' }).getByText('Unknown country').waitFor();
});

test('offers the last 12 months when the API rejects the chosen period', async () => {
  const json = {
    error: 'dateFrom and dateTo may span at most 3660 days',
    code: 'invalid_field',
    request_id: 'r',
  };
  // Every request is rejected, because the page sends the request again if the reply arrives before the page is
  // rendered.
  await page.route('**/breakdown?*', (route) => route.fulfill({ status: 400, json }));
  await page.goto(`/app/p/${site.full}?period=all`);
  const offer = page.getByRole('button', { name: 'Show the last 12 months' });
  await offer.waitFor();
  await page.unrouteAll();
  await offer.click();
  await page.waitForURL(/period=12m/);
  await offer.waitFor({ state: 'detached' });
  opened.problems.splice(0);
});

test('fades the values of the previous period until the values of the chosen period have loaded', async () => {
  await openOverview();
  const fading = page.locator('.measures, .history, .bars-room');
  const opacities = () => fading.evaluateAll((parts) => parts.map((part) => getComputedStyle(part).opacity));
  const { promise: isSeen, resolve: see } = Promise.withResolvers<void>();
  await page.route('**/*dateFrom=*', async (route) => {
    await isSeen;
    await route.continue();
  });
  await page.getByRole('button', { name: '90 days' }).click();
  await expect.poll(opacities).toEqual(Array(4).fill('0.55'));
  see();
  await expect.poll(opacities).toEqual(Array(4).fill('1'));
  await page.unrouteAll();
});

test('links to the page of each open task', async () => {
  await openOverview();
  const tasks = page.getByRole('region', { name: 'To do' });
  await expectAccessible(page);
  const partner = tasks.getByRole('listitem').filter({ hasText: '1 partner is waiting for approval' });
  await partner.getByRole('link').click();
  await page.waitForURL(/\/partners\?status=pending$/);
  await page.getByRole('link', { name: 'Ben' }).waitFor();

  await openOverview();
  await tasks.getByRole('link', { name: 'Pay partners' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pay partners' });
  const chosen = dialog.getByRole('checkbox', { checked: true });
  await chosen.first().waitFor();
  const payouts = await chosen.count();
  await dialog
    .getByRole('button', { name: payouts === 1 ? 'Create 1 payout' : `Create ${payouts} payouts` })
    .waitFor();
  await chosen.first().uncheck();
  await expect.poll(() => chosen.count()).toBeLessThan(payouts);
  await dialog.getByRole('button', { name: `Create ${await chosen.count()} payouts` }).waitFor();
});

test('the command menu opens pages and explains ids, and a dialog lists all keyboard shortcuts', async () => {
  await openOverview();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  for (const text of ['Last 7 days', 'Partners', 'Command menu']) await keys.getByText(text).waitFor();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: /^Page, partner, action, or id/ });
  await field.fill('pa');
  const options = page.getByRole('listbox').getByRole('option');
  expect(await options.allInnerTexts()).toEqual([
    expect.stringContaining('Partners'),
    expect.stringContaining('Payouts'),
    expect.stringContaining('Payment processor'),
    expect.stringContaining('Pay partners'),
    expect.stringContaining('Invite a partner'),
    expect.stringContaining('Explain “pa”'),
  ]);
  await page.keyboard.press('ArrowDown');
  const payouts = page.getByRole('option', { name: 'Payouts', selected: true });
  expect(await payouts.getAttribute('id')).toBe(await field.getAttribute('aria-activedescendant'));
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Payouts' }).waitFor();

  await page.keyboard.press('Control+k');
  await field.fill(site.transactionId);
  await page.keyboard.press('Enter');
  await page.getByText('What happened').waitFor();

  await page.keyboard.press('Control+k');
  await field.waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  expect(opened.problems).toEqual([]);
});

test('pointing at a link loads the code of its page, and opening a page moves the focus to its heading', async () => {
  await openOverview();
  const focused = () => page.locator('h1:focus').textContent();
  const partners = page.getByRole('navigation').getByRole('link', { name: 'Partners', exact: true });
  await Promise.all([page.waitForResponse(/\/assets\/partners-/), partners.hover()]);
  await partners.click();
  await page.getByRole('heading', { name: 'Partners', level: 1 }).waitFor();
  expect(await focused()).toBe('Partners');
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'Commissions', level: 1 }).waitFor();
  expect(await focused()).toBe('Commissions');
});

test('if an update has removed the code of a page, the dashboard offers to reload, but does not reload by itself', async () => {
  await openOverview();
  const loads: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest() || request.url().includes('/assets/links-'))
      loads.push(request.resourceType());
  });
  // The server has no file with this name, as after an update.
  const removed = (url: URL) => url.pathname.includes('/assets/links-');
  await page.route(removed, (route) => route.continue({ url: `${site.url}/app/assets/links-removed.js` }));
  const openLinks = () =>
    page.getByRole('navigation').getByRole('link', { name: 'Links', exact: true }).click();
  await openLinks();
  const notice = page.getByRole('heading', { name: 'This page did not load' });
  await notice.waitFor();
  await page.locator('h1:focus').waitFor();
  await expectAccessible(page);
  const reload = page.getByRole('button', { name: 'Reload the page' });
  await reload.click();
  await page.waitForLoadState('networkidle');
  await notice.waitFor();
  // The dashboard preloads the script and then imports it. If the preload failed, the import repeats the
  // request. Ignore this repetition.
  const isRepeated = (type: string, index: number) => type === loads[index - 1];
  expect(loads.filter((type, index) => !isRepeated(type, index))).toEqual(['script', 'document', 'script']);

  await page.unroute(removed);
  await reload.click();
  await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor();
});
