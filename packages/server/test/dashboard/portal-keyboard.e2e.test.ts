import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, site, tabTo } from './browser.ts';

setUpDashboard();

const PROGRAMS = '/api/advertiser/affiliate-programs';

async function activate(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

test('a partner accepts the invitation, creates a link, asks why, and enters payout details, without a mouse', async () => {
  const path = `${PROGRAMS}/${site.full}`;
  const { invite_token: token } = await site.call<{ invite_token: string }>('POST', `${path}/partners`, {
    name: 'Cleo',
    email: 'cleo@partner.example',
    code: 'cleo',
  });
  const track = (route: string, body: object) =>
    site.call<{ click_id: string }>('POST', `/api/v1/track/${route}`, body, site.fullToken);
  const { click_id } = await track('click', { affiliate_url: 'https://shop.example/?aff=cleo' });
  const order = { transaction_id: 'order-of-cleo', customer_key: 'customer-of-cleo', click_id };
  await track('sale', { ...order, amount_cents: 5_000, currency: 'USD' });
  await site.runJobs();

  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const openPage = async (key: string, title: string) => {
    await settle(page);
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await settle(page);
  };

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

  await openPage('a', 'Account');
  await activate(page, page.getByRole('link', { name: 'Open your payout details' }));
  await page.getByRole('heading', { level: 1, name: 'Payout details' }).waitFor();
  await settle(page);
  await tabTo(page, page.getByLabel('How you are paid'));
  await page.keyboard.type('PayPal');
  await tabTo(page, page.getByLabel('Email address of the account'));
  await page.keyboard.type('cleo@pay.example');
  await page.keyboard.press('Enter');
  await page.getByText('Your payout details are saved. The next payouts use them.').waitFor();
  // The page of the invitation first asks whether somebody is signed in.
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
  // The form rejects applications that are sent faster than a person could write them.
  const title = page.getByRole('heading', { level: 1 });
  await expect
    .poll(
      async () => {
        const apply = page.getByRole('button', { name: 'Apply' });
        if ((await apply.count()) > 0) await activate(page, apply);
        return await title.textContent();
      },
      { timeout: 15_000, interval: 500 },
    )
    .toBe('Your application was received');
  // The browser logs the rejections of applications that were sent too fast.
  expect(problems.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  await context.close();
});
