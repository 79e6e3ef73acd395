import { createPasswordResetCode } from '@affkit/core';
import { expect, onTestFinished, test } from 'vitest';
import { expectAccessible, openContext, setUpDashboard, site } from './browser.ts';

setUpDashboard();

test('a user who forgot the password asks for a link, sets a new one once, and is signed in', async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const heading = (name: string) => page.getByRole('heading', { name });
  const focused = () => page.evaluate(() => document.activeElement?.textContent);

  await page.goto('/app/sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading('Forgot your password?').waitFor();
  await page.keyboard.type('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('Enter an email address').waitFor();
  await page.getByLabel('Email').fill(site.owner.email);
  await page.keyboard.press('Enter');
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
