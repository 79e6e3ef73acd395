import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { byDepth } from '../../../core/test/support/test-depth.ts';
import {
  expectAccessible,
  openContext,
  pressEnterAgain,
  type Screen,
  settle,
  setUpDashboard,
  site,
} from './browser.ts';

setUpDashboard();

/** The folder for screenshots, for visual checks. Without this variable, the tests save no screenshots. */
const SHOTS = process.env['AFFKIT_SCREENSHOTS'];
const PASSWORD = 'correct horse of a partner';
const ANA = { email: 'ana@leaf.example', password: PASSWORD };
const BEN = { email: 'ben@leaf.example', password: PASSWORD };
const DESKTOP: Screen = { width: 1280, colorScheme: 'light' };

const PROGRAMS = '/api/advertiser/affiliate-programs';

let ana: Page;
let problems: string[];
let program: { readonly id: number; readonly api_token: string };
/** The path of the program's pages in the partner portal. */
let home: string;
let benId: number;
let linkId: number;

/** Enrolls a partner, who accepts the invitation. */
async function enroll({ email }: typeof ANA, fields: object): Promise<number> {
  const { id, invite_token: token } = await site.call<{ id: number; invite_token: string }>(
    'POST',
    `${PROGRAMS}/${program.id}/partners`,
    { name: 'Ana', email, ...fields },
  );
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  return id;
}

async function sell(order: string, amount_cents: number, currency = 'USD'): Promise<number> {
  const click = { affiliate_url: 'https://tea.example/?aff=ana-leaf' };
  const { click_id } = await site.call<{ click_id: string }>('POST', '/api/v1/track/click', click);
  const sale = { transaction_id: order, customer_key: `buyer-${order}`, click_id, amount_cents, currency };
  const token = program.api_token;
  return (await site.call<{ commission_id: number }>('POST', '/api/v1/track/sale', sale, token))
    .commission_id;
}

async function signInAs(page: Page, { email, password }: typeof ANA): Promise<void> {
  await page.goto('/app/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/app\/partner/);
  await settle(page);
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** @param expected a text that browser messages may contain; any other message fails the test */
async function withPage(screen: Screen, use: (page: Page) => Promise<void>, expected?: string) {
  const { context, problems: printed } = await openContext(screen);
  try {
    await use(await context.newPage());
    expect(printed.filter((text) => expected === undefined || !text.includes(expected))).toEqual([]);
  } finally {
    await context.close();
  }
}

beforeAll(async () => {
  program = await site.call('POST', PROGRAMS, {
    name: 'Leaf & Kettle',
    slug: 'leaf',
    site_url: 'https://tea.example',
    commission: { type: 'percent', rate: 20 },
    hold_days: 14,
  });
  home = `/app/partner/${program.id}`;
  await enroll(ANA, { code: 'ana-leaf' });
  benId = await enroll(BEN, { name: 'Ben', status: 'pending' });
  const commissions = `${PROGRAMS}/${program.id}/commissions`;
  for (const [order, cents] of [
    ['tea-1', 5000],
    ['tea-2', 2000],
    ['tea-3', 8000],
  ] as const) {
    const id = await sell(order, cents);
    if (order === 'tea-3') continue;
    await site.call('POST', `${commissions}/${id}/approve`, {});
    if (order === 'tea-1') {
      const path = `${PROGRAMS}/${program.id}/payouts`;
      const [payout] = await site.call<{ id: number }[]>('POST', path, {});
      await site.call('POST', `${path}/${payout?.id}/mark-paid`, { reference: 'SEPA-1' });
    }
  }
  await sell('tea-4', 999_999_999_999, 'EUR');
  await site.runJobs();
  const opened = await openContext(DESKTOP);
  problems = opened.problems;
  ana = await opened.context.newPage();
  await signInAs(ana, ANA);
  return () => opened.context.close();
});

test('a partner sees the balance, the terms, the figures, and the latest earnings after the sign-in', async () => {
  await ana.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await ana.getByText('You earn 20% of each sale.').waitFor();
  await ana.getByLabel('Balance in USD').getByText('$4.00').waitFor();
  await ana.getByText(/pays this amount with its next payout/).waitFor();
  // The balance separates "In review" from "On hold". The page Earnings shows both as "Pending".
  const balance = (await ana.getByLabel('Balance in USD').textContent()) ?? '';
  expect(balance).toMatch(/^In review · USD\$0\.00On hold · USD\$16\.00Payable · USD\$4\.00/);
  await ana.getByRole('button', { name: /^Sales/ }).click();
  await ana.waitForURL(/measure=sales/);
  await ana.keyboard.press('w');
  await ana.waitForURL(/period=7d/);
  expect(await ana.getByRole('table', { name: 'Latest earnings' }).getByRole('row').count()).toBe(5);
  expect(await ana.content()).not.toMatch(/tea-1|buyer-/);
  expect(problems).toEqual([]);
});

test('a partner creates a link with the keyboard, and sees the results of the link and its sub-ids', async () => {
  await ana.keyboard.press('Control+k');
  await ana.getByRole('combobox', { name: 'Page, program, or action' }).fill('create');
  await ana.keyboard.press('Enter');
  const dialog = ana.getByRole('dialog');
  await dialog.getByLabel('Page (optional)').fill('https://other.example/tea');
  await dialog.getByLabel('Sub-id (optional)').fill('mail');
  await dialog.getByLabel('Code (optional)').fill('ana-tea');
  await ana.keyboard.press('Enter');
  await dialog.getByText('Enter a page of tea.example').waitFor();
  await dialog.getByLabel('Page (optional)').fill('tea.example/tea');
  await pressEnterAgain(ana);
  await dialog.getByText('https://tea.example/tea?aff=ana-tea&sub_id=mail').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();

  const many = Array.from({ length: 25 }, (_, index) => `post-${index + 10}`);
  for (const subId of ['mail', 'mail', 'mail', 'mail', 'blog', ...many]) {
    const affiliate_url = `https://tea.example/tea?aff=ana-tea&sub_id=${subId}`;
    await site.call('POST', '/api/v1/track/click', { affiliate_url });
  }
  await site.runJobs();
  await ana.getByRole('link', { name: 'ana-tea' }).click();
  await ana.getByRole('heading', { level: 1, name: 'ana-tea' }).waitFor();
  await settle(ana);
  linkId = Number(new URL(ana.url()).pathname.split('/').at(-1));
  await ana.getByRole('button', { name: 'Clicks 30' }).waitFor();
  await ana.getByText('1–25 of 27').waitFor();
  await ana.getByRole('button', { name: 'Next page' }).click();
  await ana.getByRole('button', { name: 'post-34' }).waitFor();
  await ana.getByRole('button', { name: 'Previous page' }).click();
  await ana.getByRole('button', { name: 'mail' }).click();
  await ana.getByRole('button', { name: 'Clicks 4' }).waitFor();
  await ana.getByRole('button', { name: 'Show the whole link' }).click();
  await ana.getByRole('button', { name: 'QR code' }).click();
  await ana
    .getByRole('dialog')
    .getByRole('img', { name: /QR code that opens/ })
    .waitFor();
  await ana.keyboard.press('Escape');
  expect(problems).toEqual([]);
});

test('a user who is pending, rejected, or not a partner sees the reason, and cannot open other programs', async () => {
  await withPage(DESKTOP, async (page) => {
    await signInAs(page, BEN);
    // The server has no mailer, so the page promises no email.
    await page.getByText(/is reviewing your application\. After approval/).waitFor();
    await shoot(page, 'waiting');
    const decision = { status: 'rejected', status_reason: 'No website' };
    await site.call('PUT', `${PROGRAMS}/${program.id}/partners/${benId}`, decision);
    await page.reload();
    await page.getByText('Reason: No website').waitFor();
    await expectAccessible(page);
    await page.goto(`/app/partner/${site.empty}/links`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
  await withPage(
    DESKTOP,
    async (page) => {
      await page.goto('/app/sign-in?next=/partner');
      await page.getByLabel('Email').fill(site.owner.email);
      await page.getByLabel('Password').fill(site.owner.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(/not in a partner program yet/).waitFor();
      await page.getByRole('link', { name: 'Go to the advertiser pages' }).click();
      await page.waitForURL(/\/app\/p\/\d+$/);
    },
    '403',
  );
});

const PHONE_DARK: Screen = { width: 390, colorScheme: 'dark' };
const OTHER_SCREENS: readonly Screen[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
];
const SCREENS = byDepth({ short: [PHONE_DARK], long: [PHONE_DARK, ...OTHER_SCREENS] });

test.each(SCREENS)('every page is accessible and fits: $width px, $colorScheme', async (screen) => {
  await withPage(screen, async (page) => {
    await signInAs(page, ANA);
    const pages = { overview: home, links: `${home}/links`, link: `${home}/links/${linkId}` };
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(path);
      await settle(page);
      await shoot(page, `${name}-${screen.width}-${screen.colorScheme}`);
      await expectAccessible(page);
    }
    await page.goto(`${home}/links?create=1`);
    await page.getByRole('dialog').waitFor();
    await shoot(page, `create-${screen.width}-${screen.colorScheme}`);
    await expectAccessible(page);
  });
});

test('a page shows the error of a failed request, and can send the request again', async () => {
  await withPage(
    { width: 390, colorScheme: 'light' },
    async (page) => {
      await signInAs(page, ANA);
      let isBroken = true;
      await page.route('**/api/partner/links*', (route) =>
        isBroken ? route.fulfill({ status: 400, json: { error: 'Broken on purpose' } }) : route.continue(),
      );
      await page.goto(`${home}/links`);
      await page.getByText('Broken on purpose').waitFor();
      isBroken = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('link', { name: 'ana-tea' }).waitFor();
    },
    '400',
  );
});
