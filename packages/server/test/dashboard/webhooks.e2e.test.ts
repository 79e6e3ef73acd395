import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver, type WebhookReceiver } from '../../../core/test/support/webhook-receiver.ts';
import { expectAccessible, loseReply, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

let receiver: WebhookReceiver;

setUpDashboard(async () => {
  receiver = await openReceiver();
  return { WEBHOOK_ALLOW_HOSTS: receiver.host };
});
afterAll(() => receiver?.close());

let page: Page;
let problems: string[];

beforeAll(async () => {
  const opened = await openContext({ width: 1280, colorScheme: 'light' });
  ({ problems } = opened);
  page = await opened.context.newPage();
  await signIn(page);
  return () => opened.context.close();
});

const dialog = () => page.getByRole('dialog');
const row = (name: string) => page.getByRole('row').filter({ hasText: name });
const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
const choose = async (name: string) => {
  await page.getByRole('button', { name: `Actions for ${receiver.host}` }).click();
  await click(name);
};

/** Runs the background jobs until the receiver has accepted this number of webhooks. */
const expectReceived = (count: number) =>
  expect
    .poll(async () => {
      await site.runJobs();
      return receiver.received.length;
    })
    .toBe(count);

/** Copies the secret that the dialog shows once, and closes the dialog. */
async function readSecret(): Promise<string> {
  await dialog().getByRole('button', { name: 'Show' }).click();
  const secret = (await dialog().locator('code').textContent()) ?? '';
  await dialog().getByRole('button', { name: 'Done' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(secret);
  return secret;
}

test('an owner adds an endpoint, reads the log of its deliveries, and sends them again', async () => {
  await page.goto(`/app/p/${site.empty}`);
  await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('No endpoints yet').waitFor();
  await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
  await dialog().getByRole('button', { name: 'Add' }).click();
  await dialog().getByText('Enter a URL, such as').waitFor();
  await dialog().getByText('Choose at least one event.').waitFor();
  await dialog().getByLabel('URL').fill('https://10.0.0.1/hook');
  await dialog().getByLabel('partner.approved').check();
  await dialog().getByRole('button', { name: 'Add' }).click();
  await dialog().getByRole('alert').waitFor();
  await expectAccessible(page);
  await dialog().getByLabel('URL').fill(receiver.url);
  await dialog().getByLabel('Description').fill('CRM');
  await dialog().getByRole('button', { name: 'Add' }).click();
  const secret = await readSecret();
  expect(secret).toMatch(/^whsec_/);
  receiver.secrets.push(secret);
  await row('CRM').getByText('1 event type').waitFor();

  receiver.answer = ({ event }) => (event.type === 'partner.approved' ? 410 : 204);
  await choose('Send a test event');
  await click('Open');
  await expectReceived(1);
  await dialog().getByText('Delivered').waitFor();
  await dialog().getByText('HTTP 204').waitFor();
  await dialog().getByText('This is a test of the webhooks').waitFor();
  await expectAccessible(page);
  await click('Close');
  // The dialog is hidden at once. The page then removes the id of the delivery from the URL.
  await page.waitForURL((url) => !url.searchParams.has('delivery'));
  await dialog().waitFor({ state: 'detached' });
  expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test']);

  const partner = { name: 'Kim', email: 'kim@partner.example', code: 'kim' };
  await site.call('POST', `/api/advertiser/affiliate-programs/${site.empty}/partners`, partner);
  await site.runJobs();
  await page.reload();
  await settle(page);
  await row('partner.approved').getByRole('link').click();
  await dialog().getByText('HTTP 410').waitFor();
  await dialog().getByText('status 410').first().waitFor();
  await dialog().getByText('"partner_id"').waitFor();
  await page.goBack();
  await dialog().waitFor({ state: 'detached' });

  // The status 410 has paused the endpoint. After the receiver is repaired, the webhook arrives.
  await page.reload();
  await page.getByText('The endpoint answered 410 (Gone).').waitFor();
  receiver.answer = () => 204;
  await choose('Resume');
  await page.getByText('Active', { exact: true }).waitFor();
  for (const count of [2, 3]) {
    await row('partner.approved').getByRole('button', { name: 'Send again' }).click();
    await expectReceived(count);
    await page.reload();
    await row('partner.approved').getByText('Delivered').waitFor();
  }
  const [, first, second] = receiver.received;
  expect(second).toEqual(first);

  await page.getByRole('combobox', { name: 'Event' }).selectOption('webhook.test');
  await row('partner.approved').waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('type')).toBe('webhook.test');
  await click('Send several again');
  await dialog().getByLabel('Which webhooks').selectOption('All');
  await expectAccessible(page);
  await dialog().getByRole('button', { name: 'Send again' }).click();
  await page.getByText('2 webhooks are sent again.').waitFor();
  await expectReceived(5);
  expect(receiver.rejected).toBe(0);
});

test('shows a message above the open dialog, where clicks and screen readers reach it', async () => {
  const before = receiver.received.length;
  await page.goto(`/app/p/${site.empty}/webhooks`);
  await page.getByRole('link', { name: receiver.host }).click();
  await row('webhook.test').getByRole('link').first().click();
  await dialog().getByRole('button', { name: 'Send again' }).click();
  // Everything outside of the dialog is inert, so the live region must be in the dialog.
  const message = dialog().getByRole('status').getByText('The webhook webhook.test is sent again.');
  // A trial click fails if another element covers the message.
  await message.click({ trial: true });
  await expectAccessible(page);
  await click('Close');
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('The webhook webhook.test is sent again.').waitFor();
  await expectReceived(before + 1);
});

test('an owner pauses an endpoint, replaces its secret, edits, and deletes it', async () => {
  await page.goto(`/app/p/${site.empty}/webhooks`);
  await choose('Pause');
  await row('CRM').getByText('Paused', { exact: true }).waitFor();
  await click('Undo');
  await row('CRM').getByText('Active', { exact: true }).waitFor();

  await choose('Replace the secret…');
  await page.route('**/rotate-secret', loseReply, { times: 1 });
  await dialog().getByRole('button', { name: 'Replace' }).click();
  await dialog().getByText('No reply arrived, so the secret may have been replaced.').waitFor();
  await dialog().getByRole('button', { name: 'Replace' }).click();
  const secret = await readSecret();
  expect(receiver.secrets).not.toContain(secret);
  // From now on, the receiver accepts only the new secret.
  receiver.secrets.splice(0, receiver.secrets.length, secret);
  const before = receiver.received.length;
  await choose('Send a test event');
  await expectReceived(before + 1);
  await row('CRM').getByRole('link').click();
  await page.getByText('Also signs until').waitFor();

  await choose('Edit…');
  await dialog().getByLabel('Description').fill('');
  await dialog().getByLabel('All events').check();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.getByText('integration.failing', { exact: false }).first().waitFor();
  await page.goto(`/app/p/${site.empty}/webhooks`);
  await row(receiver.host).getByText('14 event types').waitFor();

  await row(receiver.host).getByRole('link').click();
  await settle(page);
  await choose('Delete…');
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/webhooks$/);
  await page.getByText('No endpoints yet').waitFor();
  expect(problems.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});

test('an endpoint that answers 410 causes a notification with a link to its log', async () => {
  const path = `/api/advertiser/affiliate-programs/${site.full}/webhook-endpoints`;
  const body = { url: receiver.url, event_types: ['payout.paid'] };
  const { id, secret } = await site.call<{ id: number; secret: string }>('POST', path, body);
  receiver.secrets.push(secret);
  receiver.answer = () => 410;
  await site.call('POST', `${path}/${id}/test`);
  await site.runJobs();
  await page.goto('/app/notifications');
  await page.getByRole('link', { name: 'Open the endpoint' }).first().click();
  await page.getByText('The endpoint answered 410 (Gone).').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/app/p/${site.full}/webhooks/${id}`);
  await row('webhook.test').getByText('410', { exact: true }).waitFor();
});
