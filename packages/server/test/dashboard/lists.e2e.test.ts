import { readFileSync } from 'node:fs';
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
    const name = `Blog ${String(number).padStart(2, '0')}`;
    await site.call('POST', path, { name, email: `blog-${number}@partner.example`, status: 'pending' });
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

/** Returns the text of the first column's link or title in each row of the list. */
function readRows(): Promise<string[]> {
  return page.locator('tbody td.lead a').allTextContents();
}

function parameters(): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** Clicks the link to the CSV file of the page. @returns the first three columns of its rows */
async function downloadCsv(): Promise<string[][]> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV' }).click();
  const text = readFileSync(await (await downloading).path(), 'utf8');
  return text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',').slice(0, 3));
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('keeps filters, order, and page of a list in the URL, and downloads the list in this order', async () => {
  await open('/partners?status=pending');
  await page.getByLabel('Search partners').fill('blog');
  await page.waitForURL(/q=blog/);
  await page.getByRole('columnheader', { name: 'Partner' }).getByRole('button').click();
  await page.waitForURL(/sort=name&order=asc/);
  await button('Next page').click();
  await page.waitForURL(/page=2/);
  await expect.poll(readRows).toEqual(['Blog 26']);
  expect(parameters()).toEqual({ status: 'pending', q: 'blog', sort: 'name', order: 'asc', page: '2' });
  await page.reload();
  await settle(page);
  expect(await readRows()).toEqual(['Blog 26']);

  const rows = await downloadCsv();
  expect(rows).toHaveLength(MORE_PARTNERS);
  const names = rows.map(([, , name]) => name);
  expect(names).toEqual(names.toSorted());
  expect(names[0]).toBe('Blog 01');

  // A change of the order returns to the first page.
  await page.getByRole('columnheader', { name: 'Partner' }).getByRole('button').click();
  await page.waitForURL(/order=desc/);
  await expect.poll(async () => (await readRows())[0]).toBe('Blog 26');
  expect(parameters()).toEqual({ status: 'pending', q: 'blog', sort: 'name', order: 'desc' });
});

test('downloads commissions and events with the filters and the order of the page', async () => {
  await open('/commissions?partner_id=1&sort=amount_cents&order=asc');
  // The amount in EUR is larger than the amount in USD, but amounts are sorted only within a currency.
  await expect.poll(readRows).toEqual(['order-1', 'order-0']);
  expect((await downloadCsv()).map(([id]) => id)).toEqual(['2', '1']);
  await open('/events?partner_id=1&eventType=conversion');
  expect(await downloadCsv()).toHaveLength(2);
});

test('changes selected partners, and shows the result of each row if some cannot be changed', async () => {
  await open('/partners?q=blog&sort=name&order=asc');
  for (const name of ['Blog 01', 'Blog 02']) {
    await page.getByRole('row', { name }).getByRole('checkbox').check();
  }
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('2 partners approved.').waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'Blog 02' }).getByText('Approved').waitFor();

  await page.getByRole('row', { name: 'Blog 03' }).getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Ban' }).click();
  const asking = page.getByRole('dialog', { name: 'Ban 1 partner?' });
  await asking.getByRole('button', { name: 'Cancel' }).click();
  await bar.getByText('1 selected').waitFor();
});

test('selects only rows that the list shows', async () => {
  await open('/partners?q=blog&sort=name&order=asc');
  await page.getByRole('row', { name: 'Blog 05' }).getByRole('checkbox').check();
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await bar.getByText('1 selected').waitFor();
  await button('Next page').click();
  await page.getByRole('row', { name: 'Blog 26' }).waitFor();
  await bar.waitFor({ state: 'detached' });
});

test('a partner filter shows the partner whose rows are listed, not a text that matches nobody', async () => {
  await open('/commissions');
  const field = page.getByRole('combobox', { name: 'Partner' });
  await field.fill('nobody');
  await field.press('Tab');
  await expect.poll(() => field.inputValue()).toBe('');
  expect(parameters()).toEqual({});
  // A text that matches one partner chooses the partner, even if the user leaves the field quickly.
  await field.fill('ana@partner');
  await field.press('Tab');
  await page.waitForURL(/partner_id=1/);
  await expect.poll(() => field.inputValue()).toBe('Ana');
  await field.fill('nobody');
  await field.press('Tab');
  await expect.poll(() => field.inputValue()).toBe('Ana');
  expect(parameters()).toEqual({ partner_id: '1' });
});

test('shows the last page if the URL has a page after it', async () => {
  await open('/partners?q=blog&sort=name&order=asc&page=9');
  await page.waitForURL(/page=2/);
  await expect.poll(readRows).toEqual(['Blog 26']);
});

test('repeats an action with the same idempotency key if the reply was lost', async () => {
  const keys: unknown[] = [];
  await page.route('**/partners/bulk', async (route) => {
    keys.push(route.request().postDataJSON().idempotency_key);
    const response = await route.fetch();
    await (keys.length === 1 ? route.abort() : route.fulfill({ response }));
  });
  await open('/partners?q=blog&sort=name&order=asc');
  await page.getByRole('row', { name: 'Blog 04' }).getByRole('checkbox').check();
  const approve = page
    .getByRole('toolbar', { name: 'Selected rows' })
    .getByRole('button', { name: 'Approve' });
  await approve.click();
  await expect.poll(() => keys.length).toBe(1);
  await approve.click();
  await page.getByText('1 partner approved.').waitFor();
  expect(keys).toEqual([expect.any(String), keys[0]]);
  await page.unroute('**/partners/bulk');
  expect(problems.splice(0)).toEqual(['Failed to load resource: net::ERR_FAILED']);
});

test('rejects commissions, and says which of them could not be changed', async () => {
  // The commission of the refunded sale cannot be rejected.
  await open('/commissions');
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await bar.getByText(/^5 selected · /).waitFor();
  await bar.getByRole('button', { name: 'Reject' }).click();
  const asking = page.getByRole('dialog', { name: 'Reject 5 commissions?' });
  await asking.getByRole('button', { name: 'Reject' }).click();
  const results = page.getByRole('dialog', { name: '1 of 5 were not changed' });
  await results.waitFor();
  const lines = await results.getByRole('listitem').allTextContents();
  expect(lines.filter((line) => line.endsWith('Done'))).toHaveLength(4);
  expect(lines.filter((line) => line.includes('Not changed'))).toEqual([
    expect.stringMatching(/^order-4-.*Not changed.*(refunded|reversed)/),
  ]);
});

test('creates, changes, finds, and deletes a policy', async () => {
  await open('/policies');
  await button('Add a policy').click();
  const adding = page.getByRole('dialog', { name: 'Add a policy' });
  await adding.getByLabel('Percentage').fill('250');
  await adding.getByRole('button', { name: 'Add' }).click();
  await adding.getByText(/^Enter a percentage from 0 to 100/).waitFor();
  await adding.getByLabel('Percentage').fill('35');
  await adding.getByLabel('Product id').fill('teapot');
  await adding.getByRole('button', { name: 'Add' }).click();
  const row = page.getByRole('row').filter({ hasText: 'teapot' });
  await row.getByText('35%').waitFor();

  await row.getByRole('button', { name: /^Actions for policy/ }).click();
  await row.getByRole('button', { name: 'Change…' }).click();
  const changing = page.getByRole('dialog', { name: 'Change this policy' });
  await changing.getByLabel('Percentage').fill('40');
  await changing.getByRole('button', { name: 'Save' }).click();
  await row.getByText('40%').waitFor();

  await page.getByLabel('Search policies').fill('teap');
  await page.waitForURL(/q=teap/);
  await expect.poll(() => page.locator('tbody td.lead').allTextContents()).toEqual(['40%']);
  await row.getByRole('button', { name: /^Actions for policy/ }).click();
  await row.getByRole('button', { name: 'Delete…' }).click();
  const deleting = page.getByRole('dialog', { name: 'Delete this policy?' });
  await deleting.getByText(/^Future sales no longer earn 40%\./).waitFor();
  await deleting.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No policies match these filters.').waitFor();
  await button('Clear the filters').click();
  await expect
    .poll(() => page.locator('tbody td.lead').allTextContents())
    .toEqual(['20%Default', '$15.00 per sale']);
  expect(problems).toEqual([]);
});
