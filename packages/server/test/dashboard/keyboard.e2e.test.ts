import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { activate, openByKeys, openContext, setUpDashboard, site, tabTo } from './browser.ts';

setUpDashboard();

test('invites, approves, and pays a partner, and opens the explanation of the sale, without a mouse', async () => {
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const press = (target: Locator) => activate(page, target);
  const openPage = (key: string, title: string) => openByKeys(page, key, title);

  await page.goto('/app/sign-in');
  await page.locator('input[type="email"]:focus').waitFor();
  await page.keyboard.type(site.owner.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(site.owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await tabTo(page, page.getByRole('combobox', { name: 'Program' }));
  await page.keyboard.type('Full');
  await page.waitForURL(new RegExp(`/p/${site.full}$`));
  // Leave the field first, because letters that are typed in a field are not shortcuts.
  await page.keyboard.press('Tab');

  await openPage('p', 'Partners');
  await press(button('Invite a partner').first());
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  for (const text of ['Cleo', 'cleo@partner.example', 'cleo']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  // The focus is on "Approve now".
  await page.keyboard.press('Space');
  await press(button('Invite'));
  await press(button('Done'));
  await press(page.getByRole('link', { name: 'Cleo', exact: true }));
  await press(button('Approve'));
  await page.getByText('Cleo is approved.').waitFor();

  const track = (route: string, body: object) =>
    site.call<{ click_id: string }>('POST', `/api/v1/track/${route}`, body, site.fullToken);
  const { click_id } = await track('click', { affiliate_url: 'https://shop.example/?aff=cleo' });
  await track('lead', { click_id, customer_key: 'customer-of-cleo' });
  const order = { transaction_id: 'order-of-cleo', customer_key: 'customer-of-cleo' };
  await track('sale', { ...order, amount_cents: 5_000, currency: 'USD' });
  await site.runJobs();

  await openPage('u', 'Payouts');
  await press(button('Pay partners').first());
  await press(page.getByRole('button', { name: /^Create \d+ payouts$/ }));
  await page.getByText(/ payouts created\. /).waitFor();
  await press(button('Actions for the payout to Cleo'));
  await press(button('Mark as paid…'));
  await page.getByRole('textbox', { name: 'Cleo: $10.00' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('transfer 7');
  await page.keyboard.press('Enter');
  await page.getByText('1 payout is marked as paid.').waitFor();

  await openPage('p', 'Partners');
  await page.keyboard.press('/');
  await page.keyboard.type('cleo');
  await page.waitForURL(/q=cleo/);
  await press(page.getByRole('link', { name: 'Cleo', exact: true }));
  await press(page.getByRole('link', { name: 'order-of-cleo' }));
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByText('$10.00', { exact: true }).waitFor();
  await verdict.getByText('Paid', { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
