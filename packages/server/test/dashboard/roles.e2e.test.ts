import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  expectAccessible,
  openContext,
  settle,
  setUpDashboard,
  signIn,
  signInByForm,
  site,
} from './browser.ts';

setUpDashboard();

const PASSWORD = 'correct horse battery';

/** Adds a user with this role to the workspace of the programs, and signs in. */
async function openAs(role: 'viewer' | 'member' | 'admin'): Promise<Page> {
  const email = `${role}@shop.example`;
  const member = { workspace_id: 1, email, name: role, role };
  const { invite_token: token } = await site.call<{ invite_token: string }>(
    'POST',
    '/api/advertiser/members',
    member,
  );
  // This request has no session, because a session would have to belong to the invited user.
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  await signIn(page, { email, password: PASSWORD });
  return page;
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`/app/p/${site.full}${path}`);
  await settle(page);
}

const pagesInMenu = (page: Page) => page.locator('nav.nav a').allTextContents();

test('a viewer is offered the overview, the setup, and the settings only', async () => {
  const page = await openAs('viewer');
  await open(page, '');
  expect(await pagesInMenu(page)).toMatchInlineSnapshot(`
    [
      "Overview",
      "Setup",
      "Settings",
      "viewer@shop.example",
    ]
  `);
  await expectAccessible(page);
  for (const path of ['/partners', '/commissions', '/payouts', '/events', '/webhooks', '/why?q=order-0']) {
    await open(page, path);
    await page.getByText('Your role does not allow this.').first().waitFor();
    const offered = page.locator('main').locator('a, button, input, select, nav');
    expect({ path, offered: await offered.allTextContents() }).toEqual({ path, offered: [] });
  }
  await open(page, '/settings');
  await page.getByLabel('Website 1').waitFor();
  expect(await page.locator('main').getByRole('button').allTextContents()).toEqual([]);
  await page.context().close();
});

test('a member reads every page of a program, and is offered no change', async () => {
  const page = await openAs('member');
  await open(page, '/partners');
  expect(await pagesInMenu(page)).toMatchInlineSnapshot(`
    [
      "Overview",
      "Why?",
      "Events",
      "Partners",
      "Links",
      "Commissions",
      "Payouts",
      "Policies",
      "Setup",
      "Settings",
      "API keys",
      "member@shop.example",
    ]
  `);
  const changes = /Invite|Import|Create|Approve|Pay partners|Mark as paid|Add a policy|Save|Delete|New token/;
  for (const path of [
    '/partners',
    '/partners/1',
    '/commissions',
    '/payouts',
    '/links',
    '/policies',
    '/setup',
    '/settings',
  ]) {
    await open(page, path);
    expect({ path, offered: await page.getByRole('button', { name: changes }).allTextContents() }).toEqual({
      path,
      offered: [],
    });
    expect({ path, rows: await page.getByRole('checkbox', { name: /^Select/ }).count() }).toEqual({
      path,
      rows: 0,
    });
  }
  // All members share the read state of a notification.
  const notification = {
    ...{ id: 1, workspace_id: 1, program_id: site.full, kind: 'webhook_endpoint_disabled', details: {} },
    ...{ read_at: null, created_at: '2026-01-01T00:00:00.000Z' },
  };
  const pagination = { page: 1, pageSize: 25, pageCount: 1, total: 1 };
  await page.route('**/api/advertiser/notifications?*', (route) =>
    route.fulfill({ json: { success: true, data: [notification], meta: { pagination, unread_count: 1 } } }),
  );
  await page.goto('/app/notifications');
  await page.getByRole('listitem').getByRole('heading', { level: 2 }).waitFor();
  expect(await page.getByRole('button', { name: /as read/ }).allTextContents()).toEqual([]);
  await page.unrouteAll();
  const refused = await page.request.post(`/api/advertiser/affiliate-programs/${site.full}/partners`, {
    data: { name: 'Eve', email: 'eve@partner.example' },
    headers: { origin: site.url },
  });
  expect(refused.status()).toBe(403);
  await page.context().close();
});

test('an admin changes everything except the members, and does not see the audit log', async () => {
  const page = await openAs('admin');
  await open(page, '/partners');
  expect(await pagesInMenu(page)).toMatchInlineSnapshot(`
    [
      "Overview",
      "Why?",
      "Events",
      "Partners",
      "Links",
      "Commissions",
      "Payouts",
      "Policies",
      "Webhooks",
      "Setup",
      "Settings",
      "API keys",
      "Payment processor",
      "Emails",
      "admin@shop.example",
    ]
  `);
  await page.getByRole('button', { name: 'Invite a partner' }).waitFor();
  for (const path of ['/app/w/1/members', '/app/w/1/audit']) {
    await page.goto(path);
    await settle(page);
    await page.getByText('Your role does not allow this.').first().waitFor();
  }
  await page.context().close();
});

test('a tab that gets the focus shows that another tab has signed out, or signed in as another user', async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  await signInByForm(page);
  const other = await context.newPage();
  await open(other, '/partners');
  const user = (email: string) => other.getByRole('link', { name: email }).waitFor();
  const returnToOther = () => other.evaluate(() => dispatchEvent(new Event('focus')));
  await user(site.owner.email);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  // The first test has added this user.
  await signInByForm(page, { email: 'viewer@shop.example', password: PASSWORD });
  await returnToOther();
  await user('viewer@shop.example');
  await other.getByText('Your role does not allow this.').waitFor();
  expect(await other.getByRole('button', { name: 'Invite a partner' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await returnToOther();
  await other.waitForURL(/sign-in\?next=/);
  await context.close();
});
