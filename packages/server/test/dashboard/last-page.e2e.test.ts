import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

let page: Page;

beforeAll(async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  page = await context.newPage();
  await signIn(page);
  return () => context.close();
});

test('shows the previous page when the last unread notification of a page is marked as read', async () => {
  await refundPaidCommissions(26);
  await page.goto('/app/notifications?unread=1&page=2');
  await settle(page);
  await expect.poll(() => page.getByRole('button', { name: 'Mark as read' }).count()).toBe(1);
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await page.getByText('1–25 of 25').waitFor();
  expect(await page.getByRole('button', { name: 'Mark as read' }).count()).toBe(25);
  expect(new URL(page.url()).search).toBe('?unread=1');
});

/** Pays the commissions of new sales, and then refunds these sales. Each refund creates a notification. */
async function refundPaidCommissions(count: number): Promise<void> {
  const program = `/api/advertiser/affiliate-programs/${site.full}`;
  const sales = Array.from({ length: count }, (_, index) => ({
    transaction_id: `paid-${index}`,
    customer_key: 'customer-0',
    amount_cents: 1000,
  }));
  for (const sale of sales) await site.call('POST', '/api/v1/track/sale', sale, site.fullToken);
  const commissions = await site.call<{ id: number; status: string }[]>(
    'GET',
    `${program}/commissions?q=paid-&pageSize=100`,
  );
  const ids = commissions.flatMap(({ id, status }) => (status === 'pending' ? [id] : []));
  if (ids.length > 0) await site.call('POST', `${program}/commissions/bulk`, { ids, action: 'approve' });
  const payouts = await site.call<{ id: number }[]>('POST', `${program}/payouts`, {});
  for (const { id } of payouts) await site.call('POST', `${program}/payouts/${id}/mark-paid`, {});
  for (const { transaction_id } of sales)
    await site.call('POST', '/api/v1/track/refund', { transaction_id }, site.fullToken);
  await site.runJobs();
}

test('shows the previous page when the last session of a page is signed out', async () => {
  const { email, password } = site.owner;
  // Two sessions exist: those of the page and of the API client.
  for (let count = 2; count < 11; count++) {
    await site.call('POST', '/api/auth/login', { email, password }, 'none');
  }
  await page.goto('/app/account?page=2');
  await settle(page);
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await page.getByText('11 of 11').waitFor();
  await sessions.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('1–10 of 10').waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe('');
});

test('shows the last page of a list if the URL has a higher page number', async () => {
  for (const path of ['members', 'keys', 'audit', 'emails']) {
    await page.goto(`/app/w/1/${path}?page=99${path === 'emails' ? '&tab=sent' : ''}`);
    await expect.poll(() => new URL(page.url()).searchParams.get('page')).not.toBe('99');
  }
});
