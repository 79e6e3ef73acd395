import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

/** More partners than a page of the list shows. */
const MORE_PARTNERS = 26;

let page: Page;
let problems: string[];

beforeAll(async () => {
  const path = `/api/advertiser/affiliate-programs/${site.full}/partners`;
  for (let number = 1; number <= MORE_PARTNERS; number++) {
    await site.call('POST', path, { name: `Blog ${number}`, email: `blog-${number}@partner.example` });
  }
  const opened = await openContext({ width: 1280, colorScheme: 'light' });
  problems = opened.problems;
  page = await opened.context.newPage();
  await signIn(page);
  return () => opened.context.close();
});

async function open(path: string): Promise<void> {
  await page.goto(`/app/p/${site.full}${path}`);
  await settle(page);
}

const search = () => new URL(page.url()).search;
const back = () => page.goBack();
const button = (name: string) => page.getByRole('button', { name, exact: true });

test('Back undoes the choice of a filter, an order, and a page, one after another', async () => {
  await open('/partners');
  await page.getByRole('combobox', { name: 'Status' }).selectOption('approved');
  await page.waitForURL(/status=approved$/);
  await page.getByRole('columnheader', { name: 'Partner' }).getByRole('button').click();
  await page.waitForURL(/sort=name&order=asc$/);
  // The browser can restore the scroll position only if this page of the list was fully loaded before.
  await settle(page);
  await button('Next page').scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => scrollY);
  await button('Next page').click();
  await page.waitForURL(/page=2$/);
  await settle(page);
  await back();
  await settle(page);
  expect(search()).toBe('?status=approved&sort=name&order=asc');
  expect(await page.evaluate(() => scrollY)).toBe(scrolled);
  await page.getByText(/^1.25 of/).waitFor();
  await back();
  expect(search()).toBe('?status=approved');
  await back();
  expect(search()).toBe('');
  expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('');
});

test('typing a search adds one entry to the browser history, however many letters are typed', async () => {
  await open('/partners');
  const field = page.getByLabel('Search partners');
  for (const text of ['b', 'bl', 'blog 7']) {
    await field.fill(text);
    await page.waitForURL((url) => url.searchParams.get('q') === text);
  }
  await field.blur();
  await field.fill('ana');
  await page.waitForURL(/q=ana/);
  await back();
  await expect.poll(() => field.inputValue()).toBe('blog 7');
  await back();
  await expect.poll(() => field.inputValue()).toBe('');
  expect(search()).toBe('');
  // A new search does not replace the entry that Back has opened.
  await field.fill('ben');
  await page.waitForURL(/q=ben/);
  await back();
  expect(search()).toBe('');
});

test('changing a date field several times adds one entry to the browser history', async () => {
  await open('/events');
  const field = page.getByLabel('From', { exact: false }).first();
  await field.fill('2026-01-01');
  await page.waitForURL(/dateFrom=2026-01-01/);
  await field.fill('2026-01-02');
  await page.waitForURL(/dateFrom=2026-01-02/);
  await back();
  expect(search()).toBe('');
});

test.each([
  { path: '/payouts', opener: 'Pay partners', title: 'Pay partners' },
  { path: '/partners', opener: 'Invite a partner', title: 'Invite a partner' },
])('Back closes the dialog "$title", and does not reopen it', async ({ path, opener, title }) => {
  await open('/commissions');
  await page
    .getByRole('navigation')
    .getByRole('link', { name: path === '/payouts' ? 'Payouts' : 'Partners', exact: true })
    .click();
  await page.waitForURL(new RegExp(`${path}$`));
  await settle(page);
  const dialog = page.getByRole('dialog', { name: title });
  await button(opener).first().click();
  await dialog.waitFor();
  await back();
  await dialog.waitFor({ state: 'detached' });
  expect(new URL(page.url()).pathname).toBe(`/app/p/${site.full}${path}`);
  await page.getByRole('button', { name: opener }).and(page.locator(':focus')).waitFor();

  await button(opener).first().click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.waitForURL(new RegExp(`${path}$`));
  await back();
  expect(await dialog.count()).toBe(0);
  await back();
  await page.waitForURL(/commissions$/);
  expect(await dialog.count()).toBe(0);
  expect(problems).toEqual([]);
});

test('keeps the trailing space in the search field while the user types', async () => {
  await open('/partners');
  const field = page.getByLabel('Search partners');
  await field.pressSequentially('Blog ');
  await page.waitForURL(/q=Blog$/);
  await settle(page);
  await field.pressSequentially('11');
  await page.waitForURL(/q=Blog\+11$/);
  expect(await field.inputValue()).toBe('Blog 11');
  await expect.poll(() => page.locator('tbody td.lead a').allTextContents()).toEqual(['Blog 11']);
  // Back changes the search in the URL, so the field shows that search instead of the typed text.
  await page.goBack();
  await expect.poll(() => field.inputValue()).toBe('');
  expect(problems).toEqual([]);
});
