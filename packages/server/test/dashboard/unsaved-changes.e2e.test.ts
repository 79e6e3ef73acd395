import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  expectAccessible,
  openContext,
  settle,
  setUpDashboard,
  signIn,
  signInByForm,
  site,
} from './browser.ts';
import { inviteCleo } from './invite-cleo.ts';

setUpDashboard();

const VIEWER = { email: 'viewer@shop.example', password: 'correct horse of a viewer' };

let page: Page;
let problems: string[];

beforeAll(async () => {
  const { invite_token: token } = await site.call<{ invite_token: string }>(
    'POST',
    '/api/advertiser/members',
    { workspace_id: 1, email: VIEWER.email, name: 'Vera', role: 'viewer' },
  );
  // This request has no session, because a session would have to belong to the invited user.
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: VIEWER.password }),
  });
});

beforeEach(async () => {
  const opened = await openContext({ width: 1280, colorScheme: 'light' });
  ({ problems } = opened);
  page = await opened.context.newPage();
  return () => opened.context.close();
});

const dialog = () => page.getByRole('dialog', { name: 'Leave without saving?' });
const stay = async () => {
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().waitFor({ state: 'detached' });
};
const discard = () => dialog().getByRole('button', { name: 'Discard the changes' }).click();
const programSwitch = () => page.getByRole('combobox', { name: 'Program', exact: true });
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });

async function openEventsByMenu(): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Page, partner' }).fill('Events');
  await page.getByRole('option', { name: 'Events Page' }).waitFor();
  await page.keyboard.press('Enter');
}

async function open(path: string): Promise<void> {
  await page.goto(`/app${path}`);
  await settle(page);
}

/** Opens the settings from the overview, and changes a setting without saving it. */
async function changeSettings(): Promise<void> {
  await open(`/p/${site.full}`);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Hold in days').fill('77');
  await page.getByText('1 unsaved change').waitFor();
}

test('asks before it signs out with unsaved changes, and does not show them to the next user', async () => {
  await signIn(page);
  await changeSettings();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await stay();
  expect(await page.getByLabel('Hold in days').inputValue()).toBe('77');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await discard();
  // Signing out does not reload the page, so a draft in a variable would still exist.
  await page.getByLabel('Email').fill(VIEWER.email);
  await page.getByLabel('Password').fill(VIEWER.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading('Overview').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await heading('Settings').waitFor();
  expect(await page.getByLabel('Hold in days').inputValue()).toBe('0');
  expect(await page.getByText('1 unsaved change').count()).toBe(0);
});

test('an open dialog closes when another tab signs in as another user, or signs out', async () => {
  await signIn(page, VIEWER);
  await open('/account');
  const changeName = () => page.getByRole('button', { name: 'Change name' }).click();
  const rename = page.getByRole('dialog', { name: 'Change your name' });
  await changeName();
  // This tab never loses the focus, so it gets no `focus` event. Only the message of the other tab can make it read the
  // session again.
  const otherTab = await page.context().newPage();
  await signInByForm(otherTab);
  await page.getByRole('definition').getByText(site.owner.email).waitFor();
  expect(await rename.count()).toBe(0);

  await changeName();
  await otherTab.getByRole('button', { name: 'Sign out' }).click();
  await heading('Sign in').waitFor();
  expect(await rename.count()).toBe(0);
});

test('asks before links, shortcuts, the command menu, the program switch, and the browser leave the settings', async () => {
  await signIn(page);
  await changeSettings();
  const url = page.url();
  const ways: Record<string, () => Promise<unknown>> = {
    link: () => page.getByRole('link', { name: 'Events' }).click(),
    shortcut: async () => {
      await page.locator('h1').focus();
      await page.keyboard.press('g');
      await page.keyboard.press('e');
    },
    'command menu': openEventsByMenu,
    'program switch': () => programSwitch().selectOption(String(site.empty)),
    back: () => page.evaluate(() => history.back()),
  };
  for (const leave of Object.values(ways)) {
    await leave();
    await stay();
    expect(page.url()).toBe(url);
    expect(await page.getByLabel('Hold in days').inputValue()).toBe('77');
    expect(await programSwitch().inputValue()).toBe(String(site.full));
  }
  await openEventsByMenu();
  await dialog().waitFor();
  await expectAccessible(page);
  await discard();
  await heading('Events').waitFor();
  // Leaving a form without changes opens no dialog.
  await page.getByRole('link', { name: 'Settings' }).click();
  await heading('Settings').waitFor();
  expect(await page.getByLabel('Hold in days').inputValue()).toBe('0');
  await page.goBack();
  await heading('Events').waitFor();
  expect(problems).toEqual([]);
});

test('asks before the back button leaves unsaved payout details, and then goes back', async () => {
  const invitation = await inviteCleo();
  await page.goto(`/app/invite#${invitation}`);
  await page.getByLabel('Password').fill('correct horse of Cleo');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/app\/partner/);
  await open('/partner/account');
  await page.getByRole('link', { name: 'Open your payout details' }).click();
  await page.getByLabel('How you are paid').selectOption('PayPal');
  const field = page.getByLabel('Email address of the account');
  await field.fill('cleo@pay.example');
  await page.evaluate(() => history.back());
  await stay();
  expect(await field.inputValue()).toBe('cleo@pay.example');
  await heading('Payout details').waitFor();
  await page.evaluate(() => history.back());
  await discard();
  await heading('Account').waitFor();
  expect(new URL(page.url()).pathname).toBe('/app/partner/account');
});

test('asks before the command menu leaves the program page with unsaved changes', async () => {
  await signIn(page);
  await open(`/p/${site.full}/page`);
  await page.getByLabel('Description').fill('Not saved yet.');
  await openEventsByMenu();
  await stay();
  expect(await page.getByLabel('Description').inputValue()).toBe('Not saved yet.');
});
