import { expect, test } from 'vitest';
import { activate, openByKeys, openContext, setUpDashboard, site, tabTo } from './browser.ts';
import { inviteCleo } from './invite-cleo.ts';

setUpDashboard();

const PROGRAMS = '/api/advertiser/affiliate-programs';

test('a partner accepts the invitation, creates a link, reads about a commission, and enters payout details, without a mouse', async () => {
  const token = await inviteCleo();
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const openPage = (key: string, title: string) => openByKeys(page, key, title);

  await page.goto(`/app/invite#${token}`);
  await tabTo(page, page.getByLabel('Password'));
  await page.keyboard.type('correct horse of Cleo');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/app\/partner/);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  await openPage('l', 'Links');
  await activate(page, button('Create a link').first());
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Page (optional)').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('/teapots');
  await page.keyboard.press('Enter');
  await dialog.getByText(/^https:\/\/shop\.example\/teapots\?aff=/).waitFor();
  await activate(page, dialog.getByRole('button', { name: 'Done' }));

  await openPage('e', 'Earnings');
  await activate(page, page.getByRole('link', { name: /^Why\?/ }).first());
  await page.getByRole('heading', { level: 1, name: /^Commission/ }).waitFor();
  await page.getByText('$10.00', { exact: true }).first().waitFor();

  await openPage('d', 'Payout details');
  await tabTo(page, page.getByLabel('How you are paid'));
  await page.keyboard.type('PayPal');
  await tabTo(page, page.getByLabel('Email address of the account'));
  await page.keyboard.type('cleo@pay.example');
  await page.keyboard.press('Enter');
  await page.getByText('Your payout details are saved. The next payouts use them.').waitFor();
  // The invitation page first checks whether a user is signed in, and the browser logs the 401 reply.
  expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
  await context.close();
});

test('a visitor applies on the page of a program without a mouse', async () => {
  const questions = [{ id: 'site', label: 'Where do you write?', type: 'url', required: true }];
  await site.call('PUT', `${PROGRAMS}/${site.empty}/page`, { published: true, terms: 'No ads.', questions });
  const { context, problems } = await openContext({ width: 390, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto('/p/empty');
  const answers = {
    'Your name': 'Mia Field',
    'Email address': 'mia@blog.example',
    'Where do you write?': 'https://blog.example/tea',
  };
  for (const [label, answer] of Object.entries(answers)) {
    await tabTo(page, page.getByLabel(label));
    await page.keyboard.type(answer);
  }
  await tabTo(page, page.getByLabel('I accept the terms.'));
  await page.keyboard.press('Space');
  // The form rejects applications that are sent faster than a person could fill in the form.
  const title = page.getByRole('heading', { level: 1 });
  await expect
    .poll(
      async () => {
        const apply = page.getByRole('button', { name: 'Apply' });
        if ((await apply.count()) > 0) await activate(page, apply);
        return await title.textContent();
      },
      { interval: 500 },
    )
    .toBe('Your application was received');
  // The browser logs the rejections of applications that were sent too fast.
  expect(problems.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  await context.close();
});
