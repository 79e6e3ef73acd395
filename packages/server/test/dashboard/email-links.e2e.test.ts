import { createPasswordResetCode } from '@affkit/core';
import { expect, onTestFinished, test } from 'vitest';
import { expectAccessible, openContext, pressEnterAgain, setUpDashboard, site } from './browser.ts';

setUpDashboard();

test('only the invited user can accept an invitation, with a new or an existing account', async () => {
  const invite = async (path: string, body: object) =>
    `/app/invite#${(await site.call<{ invite_token: string }>('POST', path, body)).invite_token}`;
  const partners = `/api/advertiser/affiliate-programs/${site.empty}/partners`;
  const sam = { name: 'Sam', email: 'sam@both.example' };
  const toSamAsPartner = await invite(partners, { ...sam, code: 'sam' });
  const toSamAsMember = await invite('/api/advertiser/members', { ...sam, workspace_id: 1, role: 'viewer' });
  const toOwner = await invite(partners, {
    ...site.owner,
    password: undefined,
    name: 'Owner',
    code: 'owner',
  });

  const { context } = await openContext({ width: 390, colorScheme: 'dark' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const click = (name: string) => page.getByRole('button', { name }).click();
  const choosePassword = async (password: string) => {
    await page.getByLabel('Password').fill(password);
    await click('Accept');
  };

  // Sam has no account yet. To accept the invitation, Sam only has to choose a password.
  await page.goto(toSamAsPartner);
  await page.getByText(`invites ${sam.email} to its partner program.`).waitFor();
  // Password managers store the new password for this user.
  expect(await page.locator('input[autocomplete="username"]').inputValue()).toBe(sam.email);
  await choosePassword('correct horse battery');
  await page.waitForURL(/\/app\/partner/);
  await page.getByRole('heading', { level: 1 }).waitFor();

  // Sam is signed in, but the invitation is for the owner.
  await page.goto(toOwner);
  await page.getByRole('alert').getByText('the invitation is for another email address').waitFor();
  await expectAccessible(page);
  await click('Use another account');

  // Nobody is signed in, and the owner has an account. The owner must sign in first, and can then accept.
  await choosePassword('not the password');
  await page.getByRole('alert').getByText('already have an account').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(site.owner.email);
  await page.getByLabel('Password').fill(site.owner.password);
  await click('Sign in');
  await page.getByText(`You are signed in as ${site.owner.email}.`).waitFor();
  await click('Accept');
  await page.waitForURL(/\/app\/partner/);
  await page.goto(toOwner);
  await page.getByRole('alert').getByText('already accepted').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Open the dashboard' }).click();
  await page.waitForURL(/\/app\/p\/\d+$/);
  await page.goto(toOwner);

  // The next link is opened in the same tab before the sign-out has finished.
  const isOpened = Promise.withResolvers<void>();
  await page.route('**/api/auth/logout', async (route) => {
    await isOpened.promise;
    await route.continue();
  });
  await click('Use another account');
  await page.goto(toSamAsMember);
  isOpened.resolve();
  await page.getByRole('link', { name: 'I have an account already' }).waitFor();
  await page.unroute('**/api/auth/logout');

  await page.goto(toOwner);
  await page.getByRole('alert').getByText('already accepted').waitFor();
  expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/app/sign-in');

  // Sam's password was set through the link of the first invitation. The inviter had the same link, and may therefore
  // know the password. To accept, Sam either enters the password, and so declares that nobody else knows it, or
  // chooses a new one.
  const acceptAsSam = async () => {
    await page.getByText(`You are signed in as ${sam.email}. Accept`).waitFor();
    await click('Accept');
    await page.getByText(`You are signed in as ${sam.email}. Enter your password`).waitFor();
    // Password managers fill in the password of this user.
    expect(await page.locator('input[autocomplete="username"]').inputValue()).toBe(sam.email);
  };
  await page.goto(toSamAsMember);
  await page.getByRole('link', { name: 'I have an account already' }).click();
  await page.getByLabel('Email').fill(sam.email);
  await page.getByLabel('Password').fill('correct horse battery');
  await click('Sign in');
  await acceptAsSam();
  await expectAccessible(page);
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await page.getByText('This password is wrong.').waitFor();
  await page.getByLabel('Your password').fill('correct horse battery');
  // The server accepts the invitation, but the page's next request for the user fails. The page must continue anyway.
  await page.route('**/api/auth/me', (route) => route.abort(), { times: 1 });
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/app\/p\/\d+$/);

  // For the next invitation, Sam says that someone else knows the password, and sets a new one.
  const { id: workspace_id } = await site.call<{ id: number }>('POST', '/api/advertiser/workspaces', {
    name: 'Second shop',
  });
  const member = { ...sam, workspace_id, role: 'viewer' };
  await page.goto(await invite('/api/advertiser/members', member));
  await acceptAsSam();
  await click('Someone else knows my password');
  await page.getByText('Someone else may know your current password.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('New password').fill('a longer horse battery');
  await click('Accept');
  await page.waitForURL(/\/app\/(?:p\/\d+|welcome)/);
});

test('a user who forgot the password requests a link, sets a new password with it once, and is signed in', async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const heading = (name: string) => page.getByRole('heading', { name });
  const focused = () => page.evaluate(() => document.activeElement?.textContent);

  await page.goto('/app/sign-in');
  let attempts = 0;
  await page.route('**/api/auth/login', (route) => {
    attempts += 1;
    const json = { success: false, error: 'Too many failed logins.', code: 'login_rate_limited' };
    return route.fulfill({ status: 429, headers: { 'retry-after': '840' }, json });
  });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Enter an email address').waitFor();
  await page.getByText('Enter your password.').waitFor();
  await page.locator('input[type="email"]:focus').waitFor();
  await expectAccessible(page);
  expect(attempts).toBe(0);
  await page.getByLabel('Email').fill(site.owner.email);
  await page.getByLabel('Password').fill(site.owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Try again in 14 minutes.').waitFor();
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading('Forgot your password?').waitFor();
  expect(await page.getByLabel('Email').inputValue()).toBe(site.owner.email);
  await page.getByLabel('Email').fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('Enter an email address').waitFor();
  await page.getByLabel('Email').fill(site.owner.email);
  await pressEnterAgain(page);
  await page.getByText(`affkit password-reset-link ${site.owner.email}`).waitFor();
  expect(await focused()).toBe('Ask for a link');
  await expectAccessible(page);

  const made = await createPasswordResetCode({ engine: site.engine }, site.owner.email);
  const link = `/app/reset#${made?.code}`;
  const setPassword = async (password: string) => {
    await page.goto(link);
    await page.getByLabel('New password').fill(password);
    await page.keyboard.press('Enter');
  };
  await setPassword(site.owner.password);
  await page.getByRole('alert').getByText('password must differ from the current password').waitFor();
  await page.getByLabel('New password').fill('another battery horse');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.waitForURL(/\/app\/p\/\d+$/);

  await setPassword('a third battery horse');
  await page.getByRole('alert').getByText('This link has expired or was already used.').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Get a new link' }).click();
  await heading('Forgot your password?').waitFor();

  await page.goto('/app/account');
  await page.getByText(site.owner.email).first().waitFor();
});
