import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';
import { CLEO, inviteCleo } from './invite-cleo.ts';

setUpDashboard();

const PASSWORD = 'correct horse of Cleo';
/** The number of sales of one customer. With so many sales, the trace of the customer has two pages. */
const SALES = 45;
const CUSTOMER = 'customer-of-cleo';

/** The ids of the commissions, one per sale. Sale 0 was recorded by `inviteCleo`. */
const commissions: number[] = [];
let page: Page;
let problems: string[];

beforeAll(async () => {
  const token = await inviteCleo();
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  const path = `/api/advertiser/affiliate-programs/${site.full}/commissions?q=order-of-cleo`;
  const [first] = await site.call<{ id: number }[]>('GET', path);
  commissions.push(first?.id ?? 0);
  for (let number = 1; number < SALES; number++) {
    const sale = {
      transaction_id: `order-of-cleo-${number}`,
      customer_key: CUSTOMER,
      amount_cents: 10_000 + 100 * number,
      currency: 'USD',
    };
    const { commission_id } = await site.call<{ commission_id: number }>(
      'POST',
      '/api/v1/track/sale',
      sale,
      site.fullToken,
    );
    commissions.push(commission_id);
  }
  await site.call(
    'POST',
    '/api/v1/track/refund',
    { transaction_id: 'order-of-cleo', refund_id: 'refund-of-cleo', refund_amount_cents: 2_500 },
    site.fullToken,
  );
  const opened = await openContext({ width: 1280, colorScheme: 'light' });
  problems = opened.problems;
  page = await opened.context.newPage();
  await signIn(page);
  return () => opened.context.close();
});

/** Opens the page Why for an id. For a commission, such as `#41`, it uses the same URL as links in the dashboard. */
async function explain(text: string): Promise<void> {
  const query = text.startsWith('#') ? `commission=${text.slice(1)}` : `q=${encodeURIComponent(text)}`;
  await page.goto(`/app/p/${site.full}/why?${query}`);
  await settle(page);
}

const verdict = () => page.getByRole('region', { name: 'Verdict' });

test('explains the sale of the commission, order, or customer that the user searched for', async () => {
  const path = `/api/advertiser/affiliate-programs/${site.full}/trace?customer_key=${CUSTOMER}&pageSize=100`;
  expect((await site.call<{ steps: unknown[] }>('GET', path)).steps).toHaveLength(100);
  for (const number of [7, SALES - 1]) {
    for (const text of [`#${commissions[number]}`, `order-of-cleo-${number}`]) {
      await explain(text);
      await verdict()
        .getByText(`Sale order-of-cleo-${number} of $${100 + number}.00`)
        .waitFor();
      const tab = page
        .getByRole('navigation', { name: 'Sales of this customer' })
        .getByRole('button')
        .first();
      expect(await tab.textContent()).toContain(`order-of-cleo-${number}$`);
      expect(await tab.getAttribute('aria-current')).toBe('true');
    }
  }
  // A customer's latest sale is explained first.
  await explain(CUSTOMER);
  await verdict()
    .getByText(`Sale order-of-cleo-${SALES - 1} of `)
    .waitFor();
  // A typed #41 means the commission 41, unless it is also the id of a sale or of a customer.
  await page.goto(`/app/p/${site.full}/why?q=${encodeURIComponent(`#${commissions[7]}`)}`);
  await verdict().getByText('Sale order-of-cleo-7 of ').waitFor();
  // The page looks up a typed text as a transaction id, and then as a customer key. The browser logs a 404 for each
  // lookup that finds nothing.
  expect(problems.splice(0)).toEqual(Array(3).fill(expect.stringContaining('404 (Not Found)')));
});

test('explains a sale with its refund, even if the customer made many sales before the refund', async () => {
  await explain(`#${commissions[0]}`);
  await verdict().getByText('Sale order-of-cleo of $50.00').waitFor();
  const timeline = page.getByRole('region', { name: 'What happened' });
  expect(await timeline.getByText('Refund', { exact: true }).count()).toBe(1);
  expect(await page.getByRole('region', { name: 'Ledger' }).getByRole('listitem').count()).toBe(2);
  expect(await page.getByText('are missing').count()).toBe(0);
  await expectAccessible(page);
});

test('says that the searched text is not the transaction id of the sale that was found', async () => {
  // A search for a Stripe id of a payment finds the sale, but the trace does not contain the Stripe id.
  await page.route('**/trace?transaction_id=pi_123*', (route) =>
    route.continue({ url: route.request().url().replace('pi_123', site.transactionId) }),
  );
  await explain('pi_123');
  await verdict().getByText(`Sale ${site.transactionId} of `).waitFor();
  await page.getByText('“pi_123” is not the transaction id of this sale.').waitFor();
  await expectAccessible(page);
});

test('shows no verdict if the page has not read the steps of the searched sale', async () => {
  const requests: string[] = [];
  // Adds pages to the trace. Only the first page has steps.
  await page.route('**/trace?*', async (route) => {
    requests.push(new URL(route.request().url()).searchParams.get('page') ?? '1');
    const response = await route.fetch();
    const { data, meta } = await response.json();
    const pagination = { ...meta.pagination, pageCount: 40, total: 4000 };
    await route.fulfill({ response, json: { data, meta: { pagination } } });
  });
  await explain(`#${commissions[SALES - 1]}`);
  await page
    .getByText(`The steps below do not say which sale “#${commissions[SALES - 1]}” belongs to.`)
    .waitFor();
  expect(await verdict().count()).toBe(0);
  await page.getByText('3,900 steps after the first 100 are missing.').waitFor();
  expect(requests.toSorted((a, b) => Number(a) - Number(b))).toEqual([
    '1',
    ...Array.from({ length: 19 }, (_, index) => String(22 + index)),
  ]);
  await expectAccessible(page);

  // The user can still choose one of the sales that were read.
  await page
    .getByRole('button')
    .filter({ hasText: /^order-of-cleo-7\$/ })
    .click();
  await verdict().getByText('Sale order-of-cleo-7 of ').waitFor();
  await page.unroute('**/trace?*');
});

test('names the partner of each click, and says that a sale was rejected, and why', async () => {
  const partners = `/api/advertiser/affiliate-programs/${site.full}/partners`;
  const dora = { name: 'Dora', email: 'dora@partner.example', code: 'dora' };
  const { id } = await site.call<{ id: number }>('POST', partners, dora);
  const track = async (event: string, body: object) => {
    const response = await fetch(`${site.url}/api/v1/track/${event}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${site.fullToken}` },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { code?: string; click_id?: string };
  };
  const visit = (code: string, existing_click_id?: string) =>
    track('click', { affiliate_url: `https://shop.example/?aff=${code}`, existing_click_id });
  const { click_id } = await visit('ana');
  await visit('dora', click_id);
  await track('lead', { click_id, customer_key: 'two-partners' });
  await site.call('PUT', `${partners}/${id}`, { status: 'banned' });
  const sale = { transaction_id: 'order-of-two', customer_key: 'two-partners', amount_cents: 5_000 };
  expect(await track('sale', sale)).toMatchObject({ code: 'no_partner_program' });
  expect(await visit('dora')).toMatchObject({ code: 'link_inactive' });

  await explain('two-partners');
  const timeline = page.getByRole('region', { name: 'What happened' });
  await timeline.getByRole('listitem').filter({ hasText: 'Dora' }).getByText('last-click model').waitFor();
  expect(await timeline.getByRole('link').allTextContents()).toEqual(['Ana', 'Dora']);
  await page.getByText('A sale of this customer was rejected').waitFor();
  const rejected = page.getByRole('region', { name: 'Rejected calls' });
  await rejected.getByText('The customer’s partner is not approved. Approve the partner').waitFor();
  await expectAccessible(page);
  await explain('dora');
  await rejected.getByText('The link is switched off, or its partner is not approved.').waitFor();
  problems.splice(0);
});

test('explains every commission to its partner, even if the trace has several pages', async () => {
  const { context, problems: portalProblems } = await openContext({ width: 1280, colorScheme: 'light' });
  const portal = await context.newPage();
  await portal.goto('/app/sign-in');
  await portal.getByLabel('Email').fill(CLEO.email);
  await portal.getByLabel('Password').fill(PASSWORD);
  await portal.getByRole('button', { name: 'Sign in' }).click();
  await portal.waitForURL(/\/app\/partner/);
  await settle(portal);
  await portal.getByRole('navigation').getByRole('link', { name: 'Earnings' }).first().click();
  await portal.waitForURL(/\/earnings$/);
  await portal.goto(`${portal.url()}/${commissions[SALES - 1]}`);
  await settle(portal);
  // A reason is only shown if the step with the decision was read.
  await portal.getByText(/^The sale was made 0 days after .* The commission is \$28\.80\.$/).waitFor();
  expect([...problems, ...portalProblems]).toEqual([]);
  await context.close();
});
