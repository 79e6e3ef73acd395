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

setUpDashboard();

const isLong = byDepth({ short: false, long: true });
const PASSWORD = 'correct horse battery';
const PAT = { email: 'pat@blog.example', password: PASSWORD };
const PROGRAMS = '/api/advertiser/affiliate-programs';
const SCREENS: readonly Screen[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  ...(isLong
    ? ([
        { width: 1280, colorScheme: 'dark' },
        { width: 390, colorScheme: 'light' },
      ] as const)
    : []),
];

/** The path of the program's pages in the partner portal. */
let home: string;
/** The ids of Pat's commissions. The first is paid, the second is refunded in part, and the third is pending. */
let commissions: number[];
let paidPayout: number;

beforeAll(async () => {
  const program = await site.call<{ id: number; api_token: string }>('POST', PROGRAMS, {
    name: 'Tea Shop',
    slug: 'tea',
    site_url: 'https://tea.example',
    commission: { type: 'percent', rate: 20 },
    hold_days: 14,
  });
  const path = `${PROGRAMS}/${program.id}`;
  const { invite_token: token } = await site.call<{ invite_token: string }>('POST', `${path}/partners`, {
    name: 'Pat',
    email: PAT.email,
    code: 'pat',
  });
  await site.call('POST', `${path}/partners`, { name: 'Rob', email: 'rob@blog.example', code: 'rob' });
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  const sell = async (code: string, order: string, amount_cents: number) => {
    const { click_id } = await site.call<{ click_id: string }>(
      'POST',
      '/api/v1/track/click',
      { affiliate_url: `https://tea.example/?aff=${code}` },
      program.api_token,
    );
    const sale = { transaction_id: order, customer_key: `buyer-${order}`, click_id, amount_cents };
    const { commission_id } = await site.call<{ commission_id: number }>(
      'POST',
      '/api/v1/track/sale',
      sale,
      program.api_token,
    );
    return commission_id;
  };
  const paid = await sell('pat', 'tea-1', 5000);
  const refunded = await sell('pat', 'tea-2', 3000);
  commissions = [paid, refunded, await sell('pat', 'tea-3', 999_999_999_999)];
  const robs = await sell('rob', 'tea-4', 777_700);
  for (const id of [paid, robs]) await site.call('POST', `${path}/commissions/${id}/approve`, {});
  const payouts = await site.call<{ id: number; amount_cents: number }[]>('POST', `${path}/payouts`, {});
  paidPayout = payouts.find(({ amount_cents }) => amount_cents === 1000)?.id ?? 0;
  await site.call('POST', `${path}/payouts/${paidPayout}/mark-paid`, { reference: 'SEPA-42' });
  const refund = { transaction_id: 'tea-2', refund_amount_cents: 1500, refund_reason: 'Sent back' };
  await site.call('POST', '/api/v1/track/refund', refund, program.api_token);
  await site.runJobs();
  home = `/app/partner/${program.id}`;
});

/** Signs in as Pat, who is a partner but not a member of a workspace. */
async function open(screen: Screen): Promise<OpenContext & { readonly page: Page }> {
  const opened = await openContext(screen);
  const page = await opened.context.newPage();
  await page.goto('/app/sign-in');
  await page.getByLabel('Email').fill(PAT.email);
  await page.getByLabel('Password').fill(PAT.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/app\/partner\/\d+$/);
  return { ...opened, page };
}

describe('a partner', () => {
  let page: Page;

  beforeAll(async () => {
    const opened = await open({ width: 1280, colorScheme: 'light' });
    page = opened.page;
    return () => opened.context.close();
  });

  const dialog = () => page.getByRole('dialog');
  const openPage = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();

  test('finds a commission with the keyboard, and reads how it was computed', async () => {
    await openPage('Earnings');
    await page.getByRole('link', { name: /^Refunded \$3\.00 1 commission$/ }).click();
    await page.waitForURL(/status=refunded/);
    const rows = page.getByRole('table', { name: 'Earnings' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('link', { name: /^Refunded/ }).click();
    await page.waitForURL((url) => !url.search.includes('status'));
    await page.keyboard.press('/');
    await page.keyboard.type('tea-2');
    await page.waitForURL(/q=tea-2/);
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('link', { name: `#${commissions[1]}`, exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Commission ${commissions[1]}` }).waitFor();
    await settle(page);
    await page.getByText('after the last click on your link').waitFor();
    await page.getByText('Sent back').waitFor();
    expect(await page.getByRole('img', { name: /That is within the window of 60 days/ }).count()).toBe(1);
    const seen = (await page.locator('main').textContent()) ?? '';
    expect(seen).toContain('$3.00');
    expect(seen).not.toMatch(/tea-2|buyer-|Rob|rob@/);
    // The page shows neither the amount of the sale nor that of the refund. Longer numbers and hashes may contain the
    // same digits.
    expect(seen).not.toMatch(/\$(15|30)\.00|(?<![\da-f])(15|30)00(?!\d)/);
  });

  test('sees nothing of another partner', async () => {
    for (const path of [`/earnings/${(commissions[2] ?? 0) + 1}`, `/payouts/${paidPayout + 1}`]) {
      await page.goto(home + path);
      await page.getByRole('alert').getByText('Not found').waitFor();
    }
    await page.goto(`${home}/earnings?q=tea-4`);
    await page.getByText('No commissions match these filters.').waitFor();
  });

  test('shows no date from which a disputed commission is payable', async () => {
    await page.route('**/api/partner/commissions?*', async (route) => {
      const reply = await route.fetch();
      const body = (await reply.json()) as { data: readonly object[] };
      const data = body.data.map((row) => ({ ...row, status: 'pending', disputed: true }));
      await route.fulfill({ json: { ...body, data } });
    });
    await page.goto(`${home}/earnings`);
    const rows = page.getByRole('row').filter({ hasText: 'Disputed' });
    await rows.first().waitFor();
    expect(await page.getByRole('cell', { name: 'After the dispute' }).count()).toBe(await rows.count());
    await page.unrouteAll();
  });

  test('sees when the rest of a refunded commission becomes payable, and the advertiser sees it too', async () => {
    const date = /^\w{3} \d+, \d{4}$/;
    await page.goto(`${home}/earnings?status=refunded`);
    const payableFrom = async (of: Page) => {
      await settle(of);
      return await of.locator('td[data-label="Payable from"]').innerText();
    };
    expect(await payableFrom(page)).toMatch(date);
    await page.goto(`${home}/earnings/${commissions[1]}`);
    expect(await page.locator('dt', { hasText: 'Payable from' }).locator('+ dd').innerText()).toMatch(date);
    const { context } = await openContext({ width: 1280, colorScheme: 'light' });
    const advertiser = await context.newPage();
    await signIn(advertiser);
    await advertiser.goto(`${home.replace('partner', 'p')}/commissions?q=tea-2`);
    expect(await payableFrom(advertiser)).toMatch(date);
    await context.close();
  });

  test('enters payout details, and prints a receipt that shows them', async () => {
    await page.goto('/app/partner/payout-details');
    await page.getByLabel('Account holder').fill('Pat Doe');
    await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 01');
    await page.getByLabel('Name of the person or company').fill('Doe Media Ltd');
    await page.getByLabel('Add a postal address').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Fill in this field.').first().waitFor();
    await page.getByLabel('Street and number').fill('Main Street 1');
    await page.getByLabel('City').fill('Dublin');
    await page.getByLabel('Country').fill('ie');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('iban must be a valid IBAN').waitFor();
    await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00');
    const typed = Promise.withResolvers<void>();
    await page.route('**/payout-details', (route) => typed.promise.then(() => route.continue()), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('button[aria-busy=true]').waitFor();
    await page.getByLabel('Account holder').fill('Pat M. Doe');
    typed.resolve();
    await page.getByText('Your payout details are saved.').waitFor();
    // A text that was typed during the save is kept.
    expect(await page.getByLabel('Account holder').inputValue()).toBe('Pat M. Doe');
    await page.getByRole('button', { name: 'Save' }).click();
    const password = page.getByLabel('Your password, to confirm the change');
    await password.fill('not this one');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The password is not correct.').waitFor();
    await password.fill(PASSWORD);
    await page.getByRole('button', { name: 'Save' }).click();
    await password.waitFor({ state: 'detached' });

    await openPage('Payouts');
    await page.getByRole('link', { name: `#${paidPayout}` }).click();
    await page.getByRole('heading', { name: 'Commissions (1)' }).waitFor();
    await page.getByText(/^[0-9a-f]{64}$/).waitFor();
    await page.getByRole('link', { name: 'Receipt' }).click();
    await settle(page);
    const receipt = page.getByRole('article');
    for (const text of ['Doe Media Ltd', 'Main Street 1', 'Dublin', 'Ireland', 'SEPA-42', 'Tea Shop']) {
      await receipt.getByText(text, { exact: true }).first().waitFor();
    }
    expect(await receipt.locator('tfoot').textContent()).toContain('$10.00');
    await page.emulateMedia({ media: 'print' });
    expect(
      await page.locator('aside, header.top, header.page-head button').filter({ visible: true }).count(),
    ).toBe(0);
    // The width of A4 without margins, in CSS pixels.
    await page.setViewportSize({ width: 718, height: 1000 });
    await expectNoOverflow(page);
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  test('reads the notifications, which resets the count of the bell', async () => {
    const bell = page.getByRole('link', { name: /^Notifications, \d+ unread$/ });
    await bell.first().click();
    await page.getByText('A payout was sent to you').waitFor();
    await page.getByText('$3.00 of commission').waitFor();
    await page.getByText('Your payout details were changed').first().waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByText('Nothing unread').waitFor();
    expect(await bell.count()).toBe(0);
    await page.getByRole('link', { name: 'Open the payout' }).click();
    await page.getByRole('heading', { name: `Payout ${paidPayout}` }).waitFor();
  });

  test('changes the name, downloads everything, and signs out everywhere', async () => {
    await page.getByRole('navigation', { name: 'Account' }).getByRole('link').last().click();
    // The page lists the emails for partners, but not those for advertisers.
    const emails = page.getByRole('region', { name: 'Emails' });
    await emails.getByRole('checkbox', { name: 'Monthly summary' }).waitFor();
    expect(await emails.getByRole('checkbox').count()).toBe(2);
    await page.getByRole('button', { name: 'Change name' }).click();
    await dialog().getByLabel('Name').fill('Pat Doe');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('Pat Doe').waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download your data' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { record: string; data: { id: number } });
    expect(records.at(-1)?.record).toBe('end');
    const exported = records.filter(({ record }) => record === 'commission').map(({ data }) => data.id);
    expect(exported.sort()).toEqual(commissions);
    expect(lines.join('\n')).toContain('DE89370400440532013000');

    const other = await open({ width: 1280, colorScheme: 'light' });
    await page.reload();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await dialog().getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.context.close();
  });
});

type Reply = (route: Route) => unknown;

const failWith =
  (status: number, code: string): Reply =>
  (route) =>
    route.fulfill({ status, json: { error: 'Something went wrong', code, request_id: 'req_1' } });
const emptyList: Reply = (route) =>
  route.fulfill({
    json: {
      success: true,
      data: [],
      meta: { pagination: { page: 1, pageSize: 25, pageCount: 0, total: 0 }, unread_count: 0 },
    },
  });
const DATA = /\/api\/(?:partner\/(?:commissions|payouts|notifications|payout-details)|auth\/sessions)/;

describe.each(SCREENS)('at $width px, $colorScheme', (screen) => {
  let opened: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    opened = await open(screen);
    await opened.page.clock.install();
    return () => opened.context.close();
  });

  const takeProblems = () =>
    opened.problems
      .splice(0)
      .filter((text) => !/^Failed to load resource|^\[DOM\] Password forms should have/.test(text));
  const pages = () => [
    `${home}/earnings`,
    `${home}/earnings/${commissions[1]}`,
    `${home}/payouts`,
    `${home}/payouts/${paidPayout}`,
    `${home}/payouts/${paidPayout}/receipt`,
    '/app/partner/notifications',
    '/app/partner/account',
    '/app/partner/payout-details',
  ];

  // A short run checks each page on one of the screens.
  const checked = () => pages().filter((_, index) => isLong || index % 2 === (screen.width === 1280 ? 0 : 1));

  test('pages pass axe and do not scroll horizontally', async () => {
    for (const path of checked()) {
      await opened.page.goto(path);
      await settle(opened.page);
      await expectAccessible(opened.page);
      expect({ path, problems: takeProblems() }).toEqual({ path, problems: [] });
    }
  });

  if (screen.width === 390 || isLong) {
    test('every page shows that it is loading, empty, failed, or forbidden', async () => {
      const { page } = opened;
      for (const [index, path] of pages().entries()) {
        const isList = /(?:earnings|payouts|notifications|account)$/.test(path);
        const failures = [failWith(500, 'internal_error'), failWith(403, 'forbidden')];
        const replies = isList ? [emptyList, ...failures] : failures;
        // A short run checks each page with one of the replies.
        for (const reply of sampleCases(replies, replies.length, index)) {
          await page.route(DATA, reply);
          await page.goto(path);
          await page.locator('h1').waitFor();
          await expectNoOverflow(page);
          while ((await page.locator('[aria-busy="true"], .skeleton').count()) > 0) {
            await page.clock.fastForward(1_000);
          }
          await (isLong ? expectAccessible(page) : expectNoOverflow(page));
          await page.unrouteAll();
        }
        expect({ path, problems: takeProblems() }).toEqual({ path, problems: [] });
      }
    });
  }
});

test('on a phone, a partner sees the date and the minimum of payouts, and deletes the payout details', async () => {
  const path = home.replace('/app/partner', PROGRAMS);
  await site.call('POST', `${path}/commissions/${commissions[2]}/approve`, {});
  const settings = { min_payout_cents: 999_999_999_999, schedule_day: 1 };
  await site.call('PUT', `${path}/payout-settings`, settings);
  const { page, context } = await open({ width: 390, colorScheme: 'dark' });
  await settle(page);
  await page.getByText(/^The next payouts are planned for \w{3} 1, \d{4} \(UTC\)\.$/).waitFor();
  await page.getByText('is below the minimum payout of $9,999,999,999.99.').waitFor();
  await page.keyboard.press('a');
  await page.waitForURL(/period=all/);
  await settle(page);
  await expectAccessible(page);
  const [pat] = await site.call<{ id: number }[]>('GET', `${path}/partners?q=${PAT.email}`);
  await site.call('PUT', `${path}/partners/${pat?.id}`, { status: 'banned' });
  await page.reload();
  await page
    .getByText('The next payouts leave this amount out, because your enrollment has ended.')
    .waitFor();
  expect(await page.getByText(/planned for|is below the minimum/).count()).toBe(0);

  await page.goto('/app/partner/payout-details');
  await page.getByRole('button', { name: 'Delete' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete the details' }).click();
  await page.getByLabel('Your password, to confirm the change').fill(PASSWORD);
  await page.getByRole('button', { name: 'Delete the details' }).click();
  await page.getByText('Your payout details are deleted.').waitFor();
  await page.getByText('No payout details yet.').waitFor();
  await page.goto('/app/partner/notifications');
  await page.getByText('Your payout details were deleted.').waitFor();
  await context.close();
});
