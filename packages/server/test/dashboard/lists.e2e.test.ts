import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

const PROGRAMS = '/api/advertiser/affiliate-programs';
/** More partners than a page of the list shows. */
const MORE_PARTNERS = 26;
/** More events than a page of the list shows. */
const MORE_EVENTS = 25;

let page: Page;
let problems: string[];

beforeAll(async () => {
  const path = `${PROGRAMS}/${site.full}/partners`;
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
  await page.getByLabel('Search partners').fill('x'.repeat(101));
  await page.getByText('No partners match these filters.').waitFor();
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

test('keeps the rows while a list is sorted again, but not while another partner or program is loading', async () => {
  const switchTo = (id: number) =>
    page.getByRole('combobox', { name: 'Program', exact: true }).selectOption(String(id));
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await open('/commissions');
  await page.getByRole('row', { name: 'order-0' }).getByRole('checkbox').check();
  await bar.waitFor();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const lists = (url: URL) => url.pathname.startsWith('/api/') && url.pathname.endsWith('/commissions');
  await page.route(lists, async (route) => {
    await answered;
    await route.continue();
  });
  const loading = page.getByRole('table', { name: 'Commissions' }).and(page.locator('[aria-busy="true"]'));
  await page.getByRole('columnheader', { name: 'Date' }).getByRole('button').click();
  await loading.waitFor();
  expect(await readRows()).toContain('order-0');
  await page.getByLabel('Partner', { exact: true }).fill('Ana · ana@partner.example');
  await page.waitForURL(/partner_id=1/);
  await loading.waitFor();
  expect(await readRows()).toEqual([]);
  await switchTo(site.empty);
  await page.waitForURL(new RegExp(`/p/${site.empty}/commissions$`));
  await loading.waitFor();
  expect(await readRows()).toEqual([]);
  answer();
  await settle(page);
  await page.unroute(lists);
  await switchTo(site.full);
  await page.getByRole('link', { name: 'order-0', exact: true }).waitFor();
  expect(await bar.count()).toBe(0);
});

test('opens a program from the second page of the program list, and offers it in the program switch', async () => {
  const programs = (url: URL) => url.pathname.endsWith('/affiliate-programs');
  await page.route(programs, async (route) => {
    const isSecond = new URL(route.request().url()).searchParams.get('page') === '2';
    const body = (await (await route.fetch()).json()) as { data: { id: number }[]; meta: object };
    const all = isSecond ? [await site.call<{ id: number }>('GET', `${PROGRAMS}/${site.full}`)] : body.data;
    const data = all.filter(({ id }) => (id === site.full) === isSecond);
    const pagination = { page: isSecond ? 2 : 1, pageSize: 1, pageCount: 2, total: 2 };
    await route.fulfill({ json: { ...body, data, meta: { pagination } } });
  });
  await open('/links');
  const offered = page.getByRole('combobox', { name: 'Program', exact: true }).locator('option');
  expect(await offered.evaluateAll((all: HTMLOptionElement[]) => all.map(({ value }) => value))).toEqual([
    String(site.empty),
    String(site.full),
    'new',
  ]);
  await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
  await page.unroute(programs);
});

test('downloads commissions and events with the filters and the order of the page', async () => {
  await open('/commissions?partner_id=1&sort=amount_cents&order=asc');
  // The list is sorted by currency, and then by amount. EUR therefore comes first, although its amount is larger.
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
  await bar.getByRole('button', { name: 'Approve 2' }).click();
  const approving = page.getByRole('dialog', { name: 'Approve 2 partners?' });
  await approving.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('2 partners approved.').waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'Blog 02' }).getByText('Approved').waitFor();

  await page.getByRole('row', { name: 'Blog 03' }).getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Ban' }).click();
  const asking = page.getByRole('dialog', { name: 'Ban 1 partner?' });
  await asking.getByRole('button', { name: 'Cancel' }).click();
  await bar.getByText('1 selected').waitFor();
  await bar.getByRole('button', { name: 'Clear' }).click();
  await bar.waitFor({ state: 'detached' });
  // The focus moves from the button to the table.
  await expect.poll(() => page.locator('main :focus').count()).toBe(1);
});

test('approves and rejects only those selected partners who are pending', async () => {
  await open('/partners?sort=name&order=asc');
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  const approved = page.getByRole('row', { name: 'ana@partner.example' });
  await approved.getByRole('checkbox').check();
  for (const name of ['Approve 0', 'Reject 0']) {
    expect(await bar.getByRole('button', { name }).isDisabled()).toBe(true);
  }
  const pending = page.getByRole('row', { name: 'Blog 06' });
  await pending.getByRole('checkbox').check();
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: 'Reject 1' }).click();
  const asking = page.getByRole('dialog', { name: 'Reject 1 partner?' });
  expect(await pending.getByText('Pending').count()).toBe(1);
  await asking.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('1 partner rejected.').waitFor();
  await pending.getByText('Rejected').waitFor();
  await approved.getByText('Approved').waitFor();

  // A banned partner cannot be banned again.
  await pending.getByRole('checkbox').check();
  await bar.getByRole('button', { name: 'Ban 1' }).click();
  const banning = page.getByRole('dialog', { name: 'Ban 1 partner?' });
  await banning.getByRole('button', { name: 'Ban' }).click();
  await pending.getByText('Banned').waitFor();
  await pending.getByRole('checkbox').check();
  expect(await bar.getByRole('button', { name: 'Ban 0' }).isDisabled()).toBe(true);
});

test('deselects rows that the list no longer shows', async () => {
  await open('/partners?q=blog&sort=name&order=asc');
  await page.getByRole('row', { name: 'Blog 05' }).getByRole('checkbox').check();
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await bar.getByText('1 selected').waitFor();
  await button('Next page').click();
  await page.getByRole('row', { name: 'Blog 26' }).waitFor();
  await bar.waitFor({ state: 'detached' });
});

test('if a text matches no partner, the partner filter shows the chosen partner again, or nothing', async () => {
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

test('shows the last page if the page number in the URL is too high', async () => {
  await open('/partners?q=blog&sort=name&order=asc&page=9');
  await page.waitForURL(/page=2/);
  await expect.poll(readRows).toEqual(['Blog 26']);
});

test('choosing a filter in an event row returns to page 1, and a page number that is too high is corrected', async () => {
  const click = { affiliate_url: 'https://shop.example/?aff=ana&sub_id=newsletter' };
  for (let number = 0; number < MORE_EVENTS; number++) {
    await site.call('POST', '/api/v1/track/click', click, site.fullToken);
  }
  await open('/events?page=2');
  // The only clicks with this sub-id are on the second page.
  await page.getByRole('link', { name: 'post', exact: true }).first().click();
  await page.waitForURL(/sub_id=post$/);
  await settle(page);
  expect(parameters()).toEqual({ sub_id: 'post' });
  await page.getByRole('row', { name: /Click/ }).first().waitFor();
  expect(await page.locator('tbody tr').count()).toBe(5);

  await open('/events?eventType=click&page=9');
  await page.waitForURL(/page=2$/);
  await expect.poll(() => page.locator('tbody tr').count()).toBe(5);
});

test('the simulator shows no result for a partner or an amount that is not valid', async () => {
  await open('/policies?currency=JPY');
  const simulator = page.getByRole('region', { name: 'Simulator' });
  await simulator.getByText('¥2,000', { exact: true }).waitFor();
  const partner = simulator.getByLabel('Partner', { exact: true });
  const amount = simulator.getByLabel('Sale amount in JPY');
  const hint = simulator.getByText('Correct the fields above to see the result.');
  for (const [field, text, valid, error] of [
    [partner, 'zzzz', '', 'Choose a partner from the list.'],
    [amount, 'abc', '50', 'Enter an amount such as 4990, without thousands separators.'],
  ] as const) {
    await field.fill(text);
    await simulator.getByText(error).waitFor();
    await hint.waitFor();
    expect(await simulator.locator('.verdict').count()).toBe(0);
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await field.fill(valid);
    await simulator.locator('.verdict').waitFor();
  }
  await simulator.getByText('¥10', { exact: true }).waitFor();
});

test('the list of links and the page of the partner show the same status of a link', async () => {
  const path = `/api/advertiser/affiliate-programs/${site.full}/partners`;
  const fields = { name: 'Dora', email: 'dora@partner.example', code: 'dora' };
  const { id } = await site.call<{ id: number }>('POST', path, fields);
  const readStatus = async () =>
    await page.getByRole('row', { name: 'dora' }).locator('.badge').allTextContents();
  for (const [status, badges] of [
    ['approved', ['Active']],
    ['pending', ['Active', 'Partner pending']],
    ['rejected', ['Active', 'Partner rejected']],
    ['banned', ['Active', 'Partner banned']],
  ] as const) {
    await site.call('PUT', `${path}/${id}`, { status });
    for (const where of ['/links?status=active&q=dora', `/partners/${id}`]) {
      await open(where);
      await expect.poll(readStatus).toEqual(badges);
    }
  }
  await expectAccessible(page);
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
  await page
    .getByRole('toolbar', { name: 'Selected rows' })
    .getByRole('button', { name: 'Approve 1' })
    .click();
  const approve = page
    .getByRole('dialog', { name: 'Approve 1 partner?' })
    .getByRole('button', { name: 'Approve' });
  await approve.click();
  await expect.poll(() => keys.length).toBe(1);
  await approve.click();
  await page.getByText('1 partner approved.').waitFor();
  expect(keys).toEqual([expect.any(String), keys[0]]);
  await page.unroute('**/partners/bulk');
  expect(problems.splice(0)).toEqual(['Failed to load resource: net::ERR_FAILED']);
});

test('rejects only commissions that can still be rejected, and says which have changed since the page loaded', async () => {
  await open('/commissions');
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await bar.getByText(/^5 selected · /).waitFor();
  expect(await bar.getByRole('button', { name: 'Approve 0' }).isDisabled()).toBe(true);
  // The commission in GBP is reversed, so it cannot be rejected.
  await bar.getByRole('button', { name: 'Reject 4' }).waitFor();
  // The rejected commissions leave this list, but the results must still name their sales.
  const tabs = page.getByRole('navigation', { name: 'Status' });
  await tabs.getByRole('link', { name: /^Approved/ }).click();
  await bar.getByText(/^4 selected · /).waitFor();
  await bar.getByRole('button', { name: 'Reject 4' }).click();
  const asking = page.getByRole('dialog', { name: /^Reject 4 commissions \([^£]*\$4\.00[^£]*\)\?$/ });
  await asking.waitFor();
  const refund = { transaction_id: 'order-0', refund_id: 'refund-2' };
  await site.call('POST', '/api/v1/track/refund', refund, site.fullToken);
  const requesting = page.waitForRequest('**/commissions/bulk');
  await asking.getByRole('button', { name: 'Reject' }).click();
  expect((await requesting).postDataJSON().ids).toHaveLength(4);
  const results = page.getByRole('dialog', { name: '1 of 4 were not changed' });
  await results.waitFor();
  const lines = await results.getByRole('listitem').allTextContents();
  expect(lines.filter((line) => line.includes('Not changed'))).toEqual([
    expect.stringMatching(/^order-0Not changed.*(refunded|reversed)/),
  ]);
  expect(lines.filter((line) => /^order-[1-3]Done$/.test(line))).toHaveLength(3);
  await page.keyboard.press('Escape');
  await tabs.getByRole('link', { name: /^All/ }).click();
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  expect(await bar.getByRole('button', { name: 'Reject 0' }).isDisabled()).toBe(true);
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
  await row.getByRole('button', { name: 'Edit…' }).click();
  const changing = page.getByRole('dialog', { name: 'Edit the policy' });
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
