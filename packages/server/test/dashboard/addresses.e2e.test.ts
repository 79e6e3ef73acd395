import { createAffkit } from '@affkit/core';
import { expressAdapter } from '@affkit/core/express';
import { sqliteEngine } from '@affkit/core/sqlite';
import { expressDashboard } from '@affkit/dashboard/express';
import express from 'express';
import type { Route } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import { openContext, settle, setUpDashboard, signInByForm, site } from './browser.ts';

setUpDashboard();

const DESKTOP = { width: 1280, colorScheme: 'light' } as const;

test('on plain http in a local network, sign-in and copying work without browser errors', async () => {
  const url = new URL(site.url);
  url.hostname = 'shop.lan';
  const { context, problems } = await openContext(DESKTOP, url.origin);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await signInByForm(page);
  const session = (await context.cookies()).find(({ name }) => name === 'affkit');
  expect(session).toMatchObject({ domain: 'shop.lan', httpOnly: true, sameSite: 'Strict' });

  await page.goto(`/app/p/${site.full}/partners`);
  await settle(page);
  await page.getByRole('button', { name: 'Invite' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Lan');
  await dialog.getByLabel('Email').fill('lan@partner.example');
  await dialog.locator('button[type="submit"]').click();
  const link = (await dialog.locator('code').filter({ hasText: '/app/invite#' }).textContent()) ?? '';
  expect(link).toMatch(/^http:\/\/shop\.lan:\d+\/app\/invite#affi_/);
  await dialog.getByRole('button', { name: 'Copy' }).nth(1).click();
  await dialog.getByRole('button', { name: 'Copied' }).first().waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const search = page.getByRole('searchbox').first();
  await search.focus();
  await page.keyboard.press('Control+V');
  expect(await search.inputValue()).toBe(link);
  expect(problems).toEqual([]);
});

test('sign-in, deep links, and a reload work if the dashboard is mounted in another app', async () => {
  const affkit = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 'a secret of at least 32 characters',
  });
  await affkit.migrate();
  await affkit.ensureFirstOwner(site.owner);
  const app = express();
  app.use('/affiliates/app', expressDashboard());
  app.use('/affiliates', expressAdapter(affkit));
  // Callbacks run in reverse order, so the server stops before the database is closed.
  onTestFinished(() => affkit.close());
  const origin = await listen(app);
  const { context, problems } = await openContext(DESKTOP, origin);
  onTestFinished(() => context.close());
  const page = await context.newPage();

  await page.goto('/affiliates/app/account?from=mail');
  await page.waitForURL(`${origin}/affiliates/app/sign-in?next=${encodeURIComponent('/account?from=mail')}`);
  // Before the sign-in page opens, the requests for the session and for the programs are sent at the same time.
  // Both fail, and the browser logs both failures.
  await expect.poll(() => problems).toEqual(Array(2).fill(expect.stringContaining('401')));
  problems.splice(0);
  await page.getByLabel('Email').fill(site.owner.email);
  await page.getByLabel('Password').fill(site.owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${origin}/affiliates/app/account?from=mail`);
  await settle(page);
  await page.reload();
  await settle(page);
  await page.getByRole('heading', { name: 'Signed in on' }).waitFor();
  await page.goto('/affiliates/app');
  await page.waitForURL(`${origin}/affiliates/app/welcome`);
  expect(problems).toEqual([]);
});

test('after a session has ended, the user signs in only once, even if replies to old requests are late', async () => {
  const { context } = await openContext(DESKTOP, site.url);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await signInByForm(page);
  await page.goto(`/app/p/${site.full}/partners`);
  await settle(page);
  await context.clearCookies();

  const held: Route[] = [];
  let isHolding = true;
  await page.route('**/payouts/preview', (route) => (isHolding ? void held.push(route) : route.continue()));
  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.waitForURL(/\/sign-in\?next=/);
  await expect.poll(() => held.length).toBe(1);
  await page.getByLabel('Email').waitFor();
  isHolding = false;
  for (const route of held) {
    await route.fulfill({
      status: 401,
      json: { success: false, error: 'Not signed in', code: 'unauthenticated' },
    });
  }
  await page.getByLabel('Email').fill(site.owner.email);
  await page.getByLabel('Password').fill(site.owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${site.url}/app/p/${site.full}`);
  await settle(page);
  expect(page.url()).toBe(`${site.url}/app/p/${site.full}`);
});
