import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  openContext,
  type Screen,
  settle,
  setUpDashboard,
  signIn,
  site,
} from './browser.ts';

setUpDashboard();

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 60;
const DAYS_TO_SALE = 75;
const ORDER = { transaction_id: 'order-late', customer_key: 'customer-late' };
const SALE_AT = Date.now() - DAY_MS;
const CLICK_AT = SALE_AT - DAYS_TO_SALE * DAY_MS;

beforeAll(() => recordLateSale());

/** Records a sale of Ana's customer, after the attribution window of the click. */
async function recordLateSale(): Promise<void> {
  const track = <T>(event: string, body: object) =>
    site.call<T>('POST', `/api/v1/track/${event}`, body, site.fullToken);
  const { click_id: clickId } = await track<{ click_id: string }>('click', {
    affiliate_url: 'https://shop.example/?aff=ana',
  });
  // The API accepts no `occurred_at` for clicks, so the test sets the click time in the database. The decision about a
  // sale reads the click time from the row of the customer, but the explanation reads it from the row of the click. The
  // explanation leaves out clicks that are older than their customer, so both rows also get an old `created_at`.
  await site.engine.write(1, async ({ db }) => {
    const customer = db.updateTable('customers').set({ last_click_at: CLICK_AT, created_at: CLICK_AT });
    await customer.where('click_id', '=', clickId).execute();
    const click = db.updateTable('click_events').set({ click_at: CLICK_AT, created_at: CLICK_AT });
    await click.where('click_id', '=', clickId).execute();
  });
  await track('lead', {
    click_id: clickId,
    customer_key: ORDER.customer_key,
    occurred_at: new Date(CLICK_AT + DAY_MS).toISOString(),
  });
  const occurredAt = new Date(SALE_AT).toISOString();
  const sale = await track('sale', { ...ORDER, amount_cents: 5_000, occurred_at: occurredAt });
  expect(sale).toMatchObject({ commission_id: null });
}

const formatDate = (time: number) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  }).format(time);

/** Checks that the sale is marked to the right of the attribution window, but still on the ruler. */
async function expectSaleAfterWindow(ruler: Locator): Promise<void> {
  const [windowEnd = 0, sale = 0, rulerEnd = 0] = await ruler.evaluate((element) => {
    const [window, mark] = [...element.children].map((child) => child.getBoundingClientRect());
    return [window?.right, mark?.left, element.getBoundingClientRect().right];
  });
  expect(sale).toBeGreaterThan(windowEnd);
  expect(sale).toBeLessThan(rulerEnd);
}

const SCREENS: readonly Screen[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
];

test.each(SCREENS)(
  'explains a sale after the attribution window, and simulates a longer window, at $width px',
  async (screen) => {
    const { context, problems } = await openContext(screen);
    const page = await context.newPage();
    await signIn(page);
    await page.goto(`/app/p/${site.full}/why?q=${ORDER.transaction_id}`);
    await settle(page);

    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict.getByText('No commission', { exact: true }).waitFor();
    expect(await verdict.textContent()).toContain(
      'The sale was made 75 days after the last click on a link of the customer’s partner. The attribution window was 60 days, so the sale earns no commission.',
    );
    expect(await verdict.locator('time').getAttribute('datetime')).toBe(new Date(SALE_AT).toISOString());
    const section = page.getByRole('region', { name: 'Attribution window' });
    const ruler = section.getByRole('img', {
      name: 'The sale came 75 days after the last click. The window of 60 days had ended.',
    });
    await ruler.waitFor();
    await expectSaleAfterWindow(ruler);
    expect(await section.locator('span').allTextContents()).toEqual([
      'Sale after 75 days',
      `Click, ${formatDate(CLICK_AT)}`,
      `Window ends, ${formatDate(CLICK_AT + WINDOW_DAYS * DAY_MS)}`,
    ]);
    await expectAccessible(page);

    await verdict.getByRole('link', { name: 'Try a longer window' }).click();
    const simulator = page.getByRole('region', { name: 'Simulator' });
    const days = simulator.getByLabel('Window in days');
    await simulator.getByText('$10.00', { exact: true }).waitFor();
    await simulator
      .getByText('75 days after the last click on this partner’s link, within the attribution window')
      .waitFor();
    await simulator.getByText('The program’s window is 60 days.').waitFor();
    expect(await days.inputValue()).toBe('75');
    await expectAccessible(page);

    await days.fill('74');
    await simulator.getByText('No commission', { exact: true }).waitFor();
    await simulator
      .getByText('The attribution window was 74 days, so the sale earns no commission.')
      .waitFor();
    await days.fill('366');
    await simulator.getByText('Enter a whole number of days from 1 to 365.').waitFor();
    // While a value is not valid, the simulator must not show the result of the previous values.
    await simulator.getByText('Correct the fields above to see the result.').waitFor();
    expect(await simulator.getByText('No commission', { exact: true }).count()).toBe(0);
    await days.fill('74');
    await simulator.getByRole('link', { name: 'Change the window' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(await page.getByLabel('Attribution window in days').inputValue()).toBe(String(WINDOW_DAYS));
    expect(problems).toEqual([]);
    await context.close();
  },
);
