import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, signIn, site } from './browser.ts';
import { CLEO, inviteCleo } from './invite-cleo.ts';

setUpDashboard();

const PASSWORD = 'correct horse battery';
const ROWS = 26;

let page: Page;
let links: string;
let firstLink: number;

beforeAll(async () => {
  const body = JSON.stringify({ token: await inviteCleo(), password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${site.url}/api/auth/accept-invite`, { method: 'POST', headers, body });
  const api = `/api/advertiser/affiliate-programs/${site.full}`;
  const [cleo] = await site.call<{ id: number; links: { id: number }[] }[]>(
    'GET',
    `${api}/partners?q=${CLEO.email}`,
  );
  for (let count = 1; count < ROWS; count++) {
    await site.call('POST', `${api}/links`, { partner_id: cleo?.id });
  }
  for (let number = 0; number < ROWS; number++) {
    const click = { affiliate_url: `https://shop.example/?aff=${CLEO.code}&sub_id=place-${number}` };
    await site.call('POST', '/api/v1/track/click', click);
  }
  await site.runJobs();
  links = `/app/partner/${site.full}/links`;
  firstLink = cleo?.links[0]?.id ?? 0;
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  page = await context.newPage();
  await signIn(page, { email: CLEO.email, password: PASSWORD });
  return () => context.close();
});

const shownPage = () => new URL(page.url()).searchParams.get('page');

test('creating a link keeps the page of the list', async () => {
  await page.goto(`${links}?page=2`);
  await settle(page);
  await page.getByRole('button', { name: 'Create a link' }).click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(shownPage()).toBe('2');
});

test('choosing a measure and a sub-id keeps the page of the sub-ids', async () => {
  await page.goto(`${links}/${firstLink}?page=2`);
  await settle(page);
  await page.getByRole('button', { name: /^Sales/ }).click();
  await page.waitForURL(/measure=sales/);
  expect(shownPage()).toBe('2');
  await page
    .getByRole('table')
    .getByRole('button', { name: /^place-/ })
    .first()
    .click();
  await page.waitForURL(/sub_id=place-/);
  expect(shownPage()).toBe('2');
  await page.getByRole('button', { name: '7 days' }).click();
  await page.waitForURL(/period=7d/);
  expect(shownPage()).toBe(null);
});
