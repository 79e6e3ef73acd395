import { createHmac } from 'node:crypto';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, loseReply, openContext, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

const SECRET = 'whsec_journey';
const NEW_PASSWORD = 'another correct horse';

let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  ({ context } = await openContext({ width: 1280, colorScheme: 'light' }));
  page = await context.newPage();
  await signIn(page);
  await page.goto(`/app/p/${site.full}`);
  return () => context.close();
});

const row = (name: string) => page.getByRole('row').filter({ hasText: name });
const dialog = () => page.getByRole('dialog');
const textOf = async (part: Locator) => (await part.textContent()) ?? '';
const openPage = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();

test('an owner invites a member, changes the role, undoes that, and removes the member', async () => {
  await openPage('Members');
  await page.getByRole('button', { name: 'Invite a member' }).click();
  await dialog().getByLabel('Name').fill('Kim');
  await dialog().getByLabel('Email').fill('kim@shop.example');
  await dialog().getByLabel('Role').selectOption('Admin');
  await dialog().getByRole('button', { name: 'Invite' }).click();
  const link = await textOf(dialog().locator('code'));
  await dialog().getByRole('button', { name: 'Done' }).click();
  const [address, token] = link.split('#');
  expect(address).toBe(`${site.url}/app/invite`);
  await row('Kim').getByText('Invited').waitFor();

  // A new invitation replaces a link that was lost.
  await row('Kim').getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('button', { name: 'New invitation link' }).click();
  await dialog().getByText('Earlier invitation links of this member stop working.').waitFor();
  await expectAccessible(page);
  await page.route('**/invite', loseReply, { times: 1 });
  await dialog().getByRole('button', { name: 'Create', exact: true }).click();
  await dialog()
    .getByText('No reply arrived, so earlier invitation links may have stopped working.')
    .waitFor();
  await dialog().getByRole('button', { name: 'Create', exact: true }).click();
  await dialog().getByText('Invitation link', { exact: true }).waitFor();
  const [, newToken] = (await textOf(dialog().locator('code'))).split('#');
  expect(newToken).not.toBe(token);
  await dialog().getByRole('button', { name: 'Done' }).click();

  const body = { token: newToken, password: NEW_PASSWORD };
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await page.reload();
  await row('Kim').getByText('Active').waitFor();

  await row('Kim').getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('button', { name: 'Change role…' }).click();
  await dialog().getByLabel('Role').selectOption('Viewer');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await row('Kim').getByRole('cell', { name: 'Viewer', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row('Kim').getByRole('cell', { name: 'Admin', exact: true }).waitFor();

  await row('Kim').getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('button', { name: 'Remove…' }).click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await row('Kim').waitFor({ state: 'detached' });
  // The last row is gone, and with it the button that had the focus.
  await expect.poll(() => page.locator(':focus').textContent()).toBe('Members');
});

test('an owner names the workspace after the company', async () => {
  await openPage('Members');
  await page.getByRole('button', { name: 'Rename the workspace' }).click();
  await dialog().getByLabel('Name of the workspace').fill(' ');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Enter a name').waitFor();
  await dialog().getByLabel('Name of the workspace').fill('Tea & Söhne GmbH');
  await expectAccessible(page);
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.getByText('People with access to the workspace “Tea & Söhne GmbH”').waitFor();
  await page.reload();
  await page.getByText('People with access to the workspace “Tea & Söhne GmbH”').waitFor();
  // An owner who is not a partner gets only the emails of advertisers.
  await page.goto('/app/account');
  const emails = page.getByRole('region', { name: 'Emails' });
  await emails.getByRole('checkbox', { name: 'Tasks' }).waitFor();
  expect(await emails.getByRole('checkbox').count()).toBe(1);
});

test('a new key is shown once, allows the chosen actions, and stops working when it is revoked', async () => {
  await openPage('API keys');
  await page.getByRole('button', { name: 'Create an API key' }).first().click();
  await dialog().getByLabel('Name').fill('CRM sync');
  await dialog().getByRole('button', { name: 'Choose' }).click();
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().getByText('Choose at least one action.').waitFor();
  await dialog().getByLabel('See partners').check();
  await dialog().getByLabel('Expires').selectOption('Never');
  // If the reply is lost, the message says what to check, and the list behind the dialog shows the key.
  await page.route('**/api/advertiser/api-keys', async (route) => {
    if (route.request().method() === 'POST') await route.fetch();
    await (route.request().method() === 'POST' ? route.abort() : route.continue());
  });
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().getByText('No reply arrived, so the key may have been created.').waitFor();
  await page.getByRole('row', { name: 'CRM sync', includeHidden: true }).waitFor({ state: 'attached' });
  await page.unrouteAll();
  await dialog().getByLabel('Name').fill('CRM sync 2');
  // The second of two clicks at the same time is ignored.
  const posted: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posted.push(request.url());
  });
  await dialog()
    .getByRole('button', { name: 'Create' })
    .evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
  expect(await textOf(dialog().locator('code'))).toMatch(/•$/);
  await dialog().getByRole('button', { name: 'Show' }).click();
  const key = await textOf(dialog().locator('code'));
  expect(posted).toHaveLength(1);
  await dialog().getByRole('button', { name: 'Done' }).click();
  await row('CRM sync 2').getByText('Partners (read)').waitFor();
  expect(await page.content()).not.toContain(key);

  const statusOf = async (path: string) => {
    const url = `${site.url}/api/advertiser/affiliate-programs/${site.full}/${path}`;
    return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status;
  };
  expect([await statusOf('partners'), await statusOf('payouts')]).toEqual([200, 403]);

  await row('CRM sync 2').getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('button', { name: 'Revoke…' }).click();
  await dialog().getByRole('button', { name: 'Revoke' }).click();
  // The row also contains a dialog whose text mentions revoked keys, so match the exact text.
  await row('CRM sync 2').getByText('Revoked', { exact: true }).waitFor();
  expect(await statusOf('partners')).toBe(401);
});

test('an owner connects Stripe, sees why a webhook was ignored, and disconnects', async () => {
  await openPage('Payment processor');
  await page.getByRole('button', { name: 'Connect Stripe' }).click();
  await dialog().getByLabel('Signing secret').fill(SECRET);
  await dialog().getByLabel('Stripe account id').fill('acct_journey');
  await dialog().getByRole('button', { name: 'Connect' }).click();
  await page.getByText('Waiting for the first webhook').waitFor();
  const address = await textOf(page.locator('.code').first());

  expect((await sendWebhook(address)).status).toBe(200);
  await page.reload();
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.getByText('The payment names no program or customer.').waitFor();
  expect(await page.content()).not.toContain(SECRET);

  await page.getByRole('button', { name: 'Disconnect' }).click();
  await dialog().getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('heading', { name: 'Disconnected' }).waitFor();
  expect((await sendWebhook(address)).status).toBe(404);
});

/** Sends a signed event of a payment without a customer. */
function sendWebhook(address: string): Promise<Response> {
  const time = Math.floor(Date.now() / 1000);
  const session = {
    id: 'cs_journey',
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    payment_intent: 'pi_journey',
    amount_total: 4200,
    currency: 'usd',
    metadata: {},
  };
  const body = JSON.stringify({
    id: 'evt_journey',
    object: 'event',
    type: 'checkout.session.completed',
    livemode: true,
    created: time,
    data: { object: session },
  });
  const signature = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` };
  return fetch(address, { method: 'POST', headers, body });
}

test('the audit log shows who changed what, and keeps its filters in the URL', async () => {
  await openPage('Audit log');
  const removal = row('Removed a member');
  await removal.getByText(site.owner.email).waitFor();
  await removal.getByRole('button', { name: /^Member \d+$/ }).click();
  await page.waitForURL(/subject=member%3A\d+/);
  await row('Made a program live').waitFor({ state: 'detached' });
  await row('Changed a member')
    .getByText(/^Role: admin\s*→\s*to viewer$/)
    .waitFor();
  await page.getByLabel('Action', { exact: true }).selectOption('Created an API key');
  await page.getByText('No changes match these filters.').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await row('Revoked an API key').waitFor();
});

test('the bell counts unread notifications, and reading them resets the count', async () => {
  await refundPaidCommission();
  const bell = page.getByRole('link', { name: /^Notifications/ });
  await expect
    .poll(async () => {
      await page.reload();
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      return await bell.getAttribute('aria-label');
    })
    .toBe('Notifications, 1 unread');
  await bell.click();
  await page.getByText('A refund reduced a paid commission').waitFor();
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await page.getByText('Nothing unread').waitFor();
  expect(await bell.getAttribute('aria-label')).toBe('Notifications');

  await page.goto(`/app/p/${site.full}/partners/1`);
  await page
    .getByText(/ earned − .+ deducted for refunds .*− .+ paid = .+ balance\./)
    .first()
    .waitFor();
  await page.goto('/app/w/1/audit?action=payout.mark_paid');
  await page
    .getByRole('link', { name: /^Ana, .*\d, \w{3}\s\d+,\s\d{4}$/ })
    .first()
    .waitFor();
});

/** Pays the commission of a sale, and then refunds this sale. */
async function refundPaidCommission(): Promise<void> {
  const program = `/api/advertiser/affiliate-programs/${site.full}`;
  const commissions = await site.call<{ id: number; status: string }[]>(
    'GET',
    `${program}/commissions?q=${site.transactionId}`,
  );
  const [commission] = commissions;
  if (commission?.status === 'pending') {
    await site.call('POST', `${program}/commissions/${commission.id}/approve`);
  }
  await site.call('POST', `${program}/payouts`, {});
  const payouts = await site.call<{ id: number; status: string }[]>('GET', `${program}/payouts`);
  for (const { id, status } of payouts) {
    if (status === 'pending') await site.call('POST', `${program}/payouts/${id}/mark-paid`, {});
  }
  const { api_token: token } = await site.call<{ api_token: string }>(
    'POST',
    `${program}/regenerate-api-token`,
  );
  const refund = { transaction_id: site.transactionId, refund_id: 'refund-of-paid' };
  await site.call('POST', '/api/v1/track/refund', refund, token);
}

test('a new password ends all other sessions', async () => {
  await openPage(site.owner.email);
  await page.getByRole('row').filter({ hasText: 'This device' }).waitFor();
  expect(await page.getByRole('row').count()).toBeGreaterThan(2);
  await page.getByLabel('Current password').fill('wrong password');
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('This password is wrong.').waitFor();
  await page.getByLabel('Current password').fill(site.owner.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password is changed.').waitFor();
  await page.getByText('1 of 1').waitFor();
  await expect(site.call('GET', '/api/auth/me')).rejects.toThrow('401');
});

test('a user whose password someone else has set must replace it before using the dashboard', async () => {
  // Until the user has replaced the password with `POST /api/auth/password`, the API replies with this error.
  const programs = '**/api/advertiser/affiliate-programs?*';
  const refused = { error: 'Replace it first', code: 'password_change_required', request_id: 'req_1' };
  await page.route(programs, (route) => route.fulfill({ status: 403, json: refused }));
  await page.goto('/app/account');
  await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
  await page.getByLabel('Password that you received').fill(NEW_PASSWORD);
  await page.getByLabel('New password').fill(`${NEW_PASSWORD} 2`);
  await page.unroute(programs);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.waitForURL(/\/app\/p\/\d+$/);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
