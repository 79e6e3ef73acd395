import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { expectAccessible, loseReply, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';
import { CLEO, inviteCleo } from './invite-cleo.ts';

setUpDashboard();

let page: Page;

beforeEach(async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  page = await context.newPage();
  return () => context.close();
});

const API = '**/api/**';
const PASSWORD = 'correct horse of Cleo';
const tryAgain = () => page.getByRole('button', { name: 'Try again' });
const field = (label: string) => page.getByLabel(label, { exact: true });

/** Answers every request of the page with 503. */
const stopServer = () =>
  page.route(API, (route) =>
    route.fulfill({ status: 503, json: { success: false, error: 'Overloaded', code: 'overloaded' } }),
  );
const startServer = () => page.unroute(API);

/** Acts as a user who returns to the browser tab after a minute. The page then reads its data again. */
const returnToTab = () =>
  page.evaluate(() => {
    const later = Date.now() + 60_000;
    Date.now = () => later;
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    window.dispatchEvent(new Event('focus'));
  });

async function open(path: string): Promise<void> {
  await page.goto(`/app${path}`);
  await settle(page);
}

/** Returns to the tab during an outage, and waits until the page reports it. */
async function passOutage(): Promise<void> {
  await stopServer();
  await returnToTab();
  await page.getByText('Overloaded').first().waitFor();
}

test('keeps an open dialog and its text while the server is unavailable', async () => {
  await signIn(page);
  await open(`/p/${site.full}/partners`);
  await page.getByRole('button', { name: 'Invite a partner' }).click();
  await field('Name').fill('Dora');
  await passOutage();
  expect(await field('Name').inputValue()).toBe('Dora');
  await page.getByRole('row').filter({ hasText: 'ana@partner.example' }).waitFor();
  await startServer();
  await field('Email').fill('dora@partner.example');
  // The server adds the partner, but its reply, which contains the invitation, is lost. The page says where to create a
  // new invitation.
  const partners = `**/affiliate-programs/${site.full}/partners`;
  await page.route(partners, loseReply);
  const invite = page.getByRole('dialog').getByRole('button', { name: 'Invite' });
  await invite.click();
  await page.getByText('No reply arrived, so the partner may have been added.').waitFor();
  await page.unroute(partners);
  await invite.click();
  await page.getByText('There is no new invitation').waitFor();
  await expectAccessible(page);
  await page.getByRole('dialog', { name: /Dora/ }).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row').filter({ hasText: 'dora@partner.example' }).waitFor();
  await page.getByText('Overloaded').waitFor({ state: 'detached' });
});

test('keeps unsaved changes of a partner and of the program page while the server is unavailable', async () => {
  await signIn(page);
  await open(`/p/${site.full}/partners/1`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await field('Name').fill('Anastasia');
  await passOutage();
  expect(await field('Name').inputValue()).toBe('Anastasia');
  await startServer();

  await open(`/p/${site.full}/page`);
  await field('Description').fill('Not saved yet.');
  await passOutage();
  expect(await field('Description').inputValue()).toBe('Not saved yet.');
  await expectAccessible(page);
  await startServer();
  await tryAgain().click();
  await page.getByText('Overloaded').waitFor({ state: 'detached' });
  expect(await field('Description').inputValue()).toBe('Not saved yet.');
});

test('keeps edited payout details while the server is unavailable', async () => {
  await page.goto(`/app/invite#${await inviteCleo()}`);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/app\/partner/);
  await open('/partner/payout-details');
  await page.getByLabel('How you are paid').selectOption('PayPal');
  await field('Email address of the account').fill('cleo@pay.example');
  await passOutage();
  expect(await field('Email address of the account').inputValue()).toBe('cleo@pay.example');
  await startServer();
  await tryAgain().click();
  await page.getByText('Overloaded').waitFor({ state: 'detached' });
  expect(await field('Email address of the account').inputValue()).toBe('cleo@pay.example');
});

test('retries all failed requests with one click', async () => {
  await signIn(page);
  await stopServer();
  await page.goto(`/app/p/${site.full}`);
  await tryAgain().waitFor();
  await startServer();
  await tryAgain().click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  await page.route('**/affiliate-programs/*/**', (route) => route.fulfill({ status: 503, json: {} }));
  await page.goto(`/app/p/${site.full}/partners/1`);
  await expect.poll(() => tryAgain().count()).toBe(1);
  await page.goto(`/app/p/${site.full}`);
  await expect.poll(() => tryAgain().count()).toBeGreaterThan(1);
  await page.unroute('**/affiliate-programs/*/**');
  await tryAgain().first().click();
  await expect.poll(() => tryAgain().count()).toBe(0);
});

/** Makes a change. After it, the connection fails: no request for data is answered. Then more than ten seconds pass. */
async function changeWithoutData(method: string, change: () => Promise<void>): Promise<void> {
  await page.route(API, (route) => (route.request().method() === 'GET' ? undefined : route.continue()));
  const changed = page.waitForResponse((reply) => reply.request().method() === method);
  await change();
  expect((await changed).status()).toBe(200);
  // The timer of the page starts only when the page has read the reply.
  for (let seconds = 0; seconds < 20; seconds++) await page.clock.runFor(1000);
}

test('closes a dialog after its change, even if the page then gets no data', async () => {
  await signIn(page);
  await page.clock.install();
  await open(`/p/${site.full}/partners?q=ana`);
  const row = page.getByRole('row').filter({ hasText: 'ana@partner.example' });
  await row.getByRole('button', { name: 'Actions for Ana' }).click();
  await page.getByRole('button', { name: 'Ban…' }).click();
  await changeWithoutData('PUT', () => page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click());
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('closes the dialog that has deleted a webhook endpoint, even if the page then gets no data', async () => {
  await site.call('POST', `/api/advertiser/affiliate-programs/${site.full}/webhook-endpoints`, {
    url: 'https://hooks.example/affkit',
    event_types: ['partner.approved'],
  });
  await signIn(page);
  await page.clock.install();
  await open(`/p/${site.full}/webhooks`);
  await page.getByRole('button', { name: 'Actions for hooks.example' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const submit = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
  await changeWithoutData('DELETE', () => submit.click());
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('does not show old payout details after new ones were saved, even if the page then gets no data', async () => {
  await signIn(page, { email: CLEO.email, password: PASSWORD });
  await page.clock.install();
  await open('/partner/payout-details');
  await page.getByLabel('How you are paid').selectOption('PayPal');
  await field('Email address of the account').fill('cleo@new.example');
  await changeWithoutData('PUT', () => page.getByRole('button', { name: 'Save' }).click());
  expect(await page.getByLabel('How you are paid').inputValue()).toBe('paypal');
  expect(await field('Email address of the account').inputValue()).toBe('cleo@new.example');
});
