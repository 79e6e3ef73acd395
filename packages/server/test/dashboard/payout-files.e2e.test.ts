import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { PayPalStub } from '../../../core/test/support/paypal-stub.ts';
import { expectAccessible, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

let paypal: PayPalStub;
setUpDashboard(async () => {
  paypal = await PayPalStub.start();
  const { clientId, secret, apiUrl } = paypal.settings;
  return { PAYPAL_CLIENT_ID: clientId, PAYPAL_SECRET: secret, PAYPAL_API: apiUrl };
});
afterAll(() => paypal.close());

const PASSWORD = 'correct horse battery';

/** Adds a partner who earns 20 percent of a sale of 100.00. @returns the session of the partner's user */
async function earn(code: string): Promise<string> {
  const path = `/api/advertiser/affiliate-programs/${site.empty}`;
  const { invite_token: token } = await site.call<{ invite_token: string }>('POST', `${path}/partners`, {
    name: code,
    email: `${code}@partner.example`,
    code,
  });
  await sell(code);
  // The request has no session, so it creates the invited user.
  const response = await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  return ((await response.json()) as { token: string }).token;
}

/** Records a sale of 100.00 for the partner. */
async function sell(code: string, transactionId = `sale-of-${code}`): Promise<void> {
  const { api_token: apiToken } = await site.call<{ api_token: string }>(
    'POST',
    `/api/advertiser/affiliate-programs/${site.empty}/regenerate-api-token`,
  );
  const affiliate_url = `https://shop.example/?aff=${code}`;
  const click = await site.call<{ click_id: string }>('POST', '/api/v1/track/click', { affiliate_url });
  const sale = { transaction_id: transactionId, amount_cents: 10_000, click_id: click.click_id };
  await site.call('POST', '/api/v1/track/sale', sale, apiToken);
}

const shown = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

test('an advertiser creates payouts, downloads a payout file, and imports the report', async () => {
  const paula = await earn('paula');
  await earn('quentin');
  await site.call(
    'PUT',
    '/api/partner/payout-details',
    { method: 'paypal', email: 'paula@pay.example' },
    paula,
  );
  const api = `/api/advertiser/affiliate-programs/${site.empty}`;
  await site.call('PUT', `${api}/payout-settings`, { schedule_day: new Date().getUTCDate() });
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  await signIn(page);
  // A job checks the payout schedule every five seconds.
  await expect.poll(() => site.call<unknown[]>('GET', `${api}/payout-runs`)).toHaveLength(1);
  const nothing = { success: true, data: [], meta: { totals: [] } };
  await page.route('**/payouts/preview', (route) => route.fulfill({ json: nothing }), { times: 1 });
  await page.goto(`/app/p/${site.empty}/payouts`);
  await shown(page, /The payouts of \w{3} \d{4} were proposed, but nothing is payable now\./);
  await page.getByRole('button', { name: 'Not this month' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create the payouts' }).count()).toBe(0);
  // The proposal contains $40.00. After another sale, the page shows the amount that is payable now.
  await sell('quentin', 'after-the-proposal');
  await page.reload();
  await settle(page);
  await shown(page, /The payouts of \w{3} \d{4} are due: \$60\.00, 2 payouts\./);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Not this month' }).click();
  await shown(page, /^The amounts remain payable\./);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Create the payouts' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create the payouts' });
  const create = dialog.getByRole('button', { name: 'Create 2 payouts' });
  await dialog.getByText('$60.00').waitFor();
  await expectAccessible(page);
  // The amounts change after they were shown.
  await sell('quentin', 'later');
  await create.click();
  await shown(page, /^The payable amounts have changed, so this request created no payouts\./);
  await dialog.getByText('$80.00').waitFor();
  // Another owner has confirmed the payouts, or the reply to an earlier confirmation was lost.
  const confirmed = { success: true, data: {}, payouts: [] };
  await page.route('**/payout-runs/*/confirm', (route) => route.fulfill({ json: confirmed }), { times: 1 });
  await create.click();
  await shown(page, /^The payouts of this month were already confirmed/);
  await page.getByRole('button', { name: 'Create the payouts' }).click();
  await create.click();
  await shown(page, '2 payouts created. Mark them as paid when you have sent the money.');

  for (const name of ['paula', 'quentin']) {
    await page.getByRole('row', { name }).getByRole('checkbox').check();
  }
  await page.getByRole('button', { name: 'Make a batch of 2' }).click();
  await page.getByLabel('How to pay').waitFor();
  const inBatch = page.getByRole('list', { name: 'Payouts of this batch' }).getByRole('listitem');
  expect((await inBatch.allTextContents()).toSorted()).toEqual([
    expect.stringMatching(/^paula: \$20\.00Details changed \w{3} \d{1,2}, \d{4}$/),
    'quentin: $60.00No payout details',
  ]);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Make the file' }).click();
  await shown(page, 'The file has 1 payout.');
  await shown(page, 'The partner has not entered payout details.');
  await expectAccessible(page);
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^payouts-empty-\d+\.csv$/);
  const payouts = await site.call<{ id: number; batch_id: number | null }[]>('GET', `${api}/payouts`);
  const payout = payouts.find(({ batch_id }) => batch_id !== null);

  await page.getByRole('button', { name: 'Close' }).last().click();
  await shown(page, `In batch ${payout?.batch_id}`);
  await page.getByRole('link', { name: 'Payout batches' }).click();
  await settle(page);
  await shown(page, '1 open');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Import the report' }).click();
  await page.getByLabel('Source of the report', { exact: true }).selectOption('csv');
  await page
    .getByLabel('Or paste the report')
    .fill(`payout_id,status,reference\n${payout?.id},paid,TX-1\n999999,paid,TX-2\n`);
  await page.getByRole('button', { name: 'Check the report' }).click();
  await shown(page, 'Nothing is recorded yet: 1 paid, 1 with an error.');
  await shown(page, /Import this row into the batch that contains the payout/);
  await expectAccessible(page);
  // The dialog cannot be closed before it has shown the result.
  await page.route('**/import?*', async (route) => {
    await page.getByRole('button', { name: 'Cancel', disabled: true }).waitFor();
    await route.continue();
  });
  await page.getByRole('button', { name: 'Record 1 result' }).click();
  await shown(page, 'Recorded: 1 paid, 1 with an error.');
  await page.getByRole('button', { name: 'Close' }).last().click();
  await shown(page, '1 paid');
  expect(problems).toEqual(['Failed to load resource: the server responded with a status of 409 (Conflict)']);
  await context.close();
});

test('marking payouts as paid keeps the selection when canceled, and shows a result for each payout', async () => {
  await earn('wanda');
  await earn('xaver');
  await earn('yuri');
  const api = `/api/advertiser/affiliate-programs/${site.empty}`;
  const created = await site.call<{ id: number; partner_name: string }[]>('POST', `${api}/payouts`, {});
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  await signIn(page);
  // The changed payouts leave this list, but the dialog must still show their results.
  await page.goto(`/app/p/${site.empty}/payouts?status=pending`);
  await settle(page);
  for (const name of ['wanda', 'xaver']) await page.getByRole('row', { name }).getByRole('checkbox').check();
  const open = page.getByRole('button', { name: 'Mark 2 as paid' });
  await open.click();
  const dialog = page.getByRole('dialog', { name: 'Mark 2 payouts as paid' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await open.click();
  const cancelPayoutTo = async (name: string) => {
    const payout = created.find(({ partner_name }) => partner_name === name);
    await site.call('POST', `${api}/payouts/${payout?.id}/cancel`);
  };
  await cancelPayoutTo('xaver');
  await dialog.getByRole('button', { name: 'Mark as paid' }).click();
  const results = page.getByRole('dialog', { name: '1 of 2 were not changed' });
  await results.getByRole('listitem').first().waitFor();
  expect((await results.getByRole('listitem').allTextContents()).toSorted()).toEqual([
    'wanda: $20.00Done',
    'xaver: $20.00Not changedPayout cannot be paid. Current status: cancelled',
  ]);
  await expectAccessible(page);
  await results.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('row', { name: 'wanda' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);

  await page.getByRole('button', { name: 'Actions for the payout to yuri' }).click();
  await page.getByRole('button', { name: 'Mark as paid…' }).click();
  const single = page.getByRole('dialog', { name: 'Mark as paid' });
  await single.getByLabel('yuri: $20.00').fill('bank-7');
  await cancelPayoutTo('yuri');
  await single.getByRole('button', { name: 'Mark as paid' }).click();
  const result = page.getByRole('dialog', { name: '1 of 1 were not changed' });
  await result.getByText('Payout cannot be paid. Current status: cancelled').waitFor();
  await page.getByRole('row', { name: 'yuri' }).waitFor({ state: 'detached' });
  await result.getByRole('button', { name: 'Close' }).click();
  expect(problems).toEqual([]);
  await context.close();
});

test('an advertiser sends payouts with PayPal, cancels what was not sent, and sees each result', async () => {
  const names = ['rosa', 'sven', 'tara'];
  const api = `/api/advertiser/affiliate-programs/${site.empty}`;
  for (const name of names) {
    const token = await earn(name);
    const details = { method: 'paypal', email: `${name}@pay.example` };
    await site.call('PUT', '/api/partner/payout-details', details, token);
  }
  // As long as the credentials are wrong, nothing is sent.
  paypal.rejectsClient = true;
  await site.call('POST', `${api}/payouts`, {});
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`/app/p/${site.empty}/payouts?status=pending`);
  await settle(page);
  const select = async () => {
    for (const name of names) await page.getByRole('row', { name }).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Make a batch of 3' }).click();
    await page.getByLabel('How to pay').selectOption({ label: 'Sent by PayPal' });
    await page.getByRole('button', { name: 'Continue' }).click();
    await shown(page, 'Send $60.00 in 3 payouts?');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send $60.00 now' }).click();
    await shown(page, /PayPal is sending 3 payouts/);
  };
  await select();
  await shown(page, /Check PAYPAL_CLIENT_ID/);
  await shown(page, 'Waiting');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close' }).last().click();

  // No money was sent, so the batch can be canceled, and its payouts can be sent in a new batch.
  await page.goto(`/app/p/${site.empty}/payouts/files`);
  await settle(page);
  await page
    .getByRole('button', { name: /^Details of batch/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Cancel the batch' }).click();
  await shown(page, '3 payouts have not been sent.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Release 3 payouts' }).click();
  await shown(page, '3 canceled');
  expect(paypal.created).toHaveLength(0);

  Object.assign(paypal, {
    rejectsClient: false,
    faults: [{ kind: 'reset', moves: true }, { kind: 'refuse' }],
  });
  await page.goto(`/app/p/${site.empty}/payouts?status=pending`);
  await settle(page);
  await select();
  await shown(page, /Receiver is invalid/);
  for (const payout of paypal.payouts) payout.status = 'SUCCESS';
  await site.engine.write(1, async ({ db }) => {
    await db.updateTable('payout_transfers').set({ run_at: 0 }).where('run_at', 'is not', null).execute();
    // Simulate that PayPal has not replied for more than 25 days.
    await db.updateTable('payout_transfers').set({ sent_at: 0 }).where('state', '=', 'sending').execute();
  });
  await shown(page, /It is unknown whether this payout was paid/);
  await shown(page, '1 paid');
  await expectAccessible(page);
  expect(problems).toEqual([]);
  await context.close();

  const phone = await openContext({ width: 390, colorScheme: 'dark' });
  const small = await phone.context.newPage();
  await signIn(small);
  await small.goto(`/app/p/${site.empty}/payouts/files`);
  await settle(small);
  await shown(small, '1 unclear');
  await small.getByRole('button', { name: 'Import the report' }).first().waitFor();
  await expectAccessible(small);
  await small
    .getByRole('button', { name: /^Details of batch/ })
    .first()
    .click();
  await shown(small, /It is unknown whether this payout was paid/);
  await expectAccessible(small);
  expect(phone.problems).toEqual([]);
  await phone.context.close();
});

test('an advertiser changes the payout settings, and the minimum of a partner, on a phone', async () => {
  const { context, problems } = await openContext({ width: 390, colorScheme: 'dark' });
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`/app/p/${site.empty}/settings`);
  await settle(page);
  await page.getByLabel('Minimum payout in USD').fill('25.00');
  await page.getByLabel('Paying account: name').fill('Tea Shop');
  await page.getByLabel('Paying account: IBAN').fill('DE89 3704 0044 0532 0130 01');
  await page.getByRole('button', { name: 'Save the payout settings' }).click();
  await shown(page, /iban must be a valid IBAN/);
  await page.getByLabel('Paying account: IBAN').fill('DE89 3704 0044 0532 0130 00');
  await page.getByRole('button', { name: 'Save the payout settings' }).click();
  await shown(page, 'The payout settings are saved.');
  await shown(page, /Stored: DE89…3000/);
  await expectAccessible(page);

  // A name or a BIC can be saved only together with the IBAN. The form asks for the IBAN, so that no input is
  // lost silently.
  const save = page.getByRole('button', { name: 'Save the payout settings' });
  await page.getByLabel('Paying account: name').fill('Tea House');
  await save.click();
  await shown(page, /^Enter the IBAN\./);
  await page.getByRole('link', { name: 'Affkit' }).first().click();
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
  await leaving.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('Paying account: IBAN').fill('DE89370400440532013000');
  await save.click();
  await expect
    .poll(() =>
      site.call<{ debtor: object }>(
        'GET',
        `/api/advertiser/affiliate-programs/${site.empty}/payout-settings`,
      ),
    )
    .toMatchObject({ debtor: { name: 'Tea House' } });

  const { id } = await site.call<{ id: number }>(
    'POST',
    `/api/advertiser/affiliate-programs/${site.empty}/partners`,
    {
      name: 'Ulla',
      email: 'ulla@partner.example',
    },
  );
  await page.goto(`/app/p/${site.empty}/partners/${id}`);
  await settle(page);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Minimum payout in USD').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Minimum payout in USD').fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await shown(page, 'Enter an amount above 0 without thousands separators, or leave the field empty.');
  await page.getByLabel('Minimum payout in USD').fill('12.50');
  await page.getByRole('button', { name: 'Save' }).click();
  await shown(page, 'Minimum payout $12.50');

  // The second partner of the full program earned JPY and KWD.
  await page.goto(`/app/p/${site.full}/partners/2`);
  await settle(page);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Minimum payout in USD').fill('12.50');
  const hint = page.getByText(/^Other currencies use the same number: /);
  for (const amount of ['¥1,250', /KWD\s1\.250/]) await hint.filter({ hasText: amount }).waitFor();
  expect(problems.filter((text) => !text.includes('400'))).toEqual([]);
  await context.close();
});

test('the menu of a payout opens its commissions, and dates limit the list of payouts', async () => {
  const api = `/api/advertiser/affiliate-programs/${site.empty}`;
  for (const name of ['uma', 'victor']) await earn(name);
  const created = await site.call<{ id: number; partner_name: string }[]>('POST', `${api}/payouts`, {
    min_amount_cents: 1,
  });
  const id = created.find(({ partner_name }) => partner_name === 'uma')?.id ?? 0;
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  await signIn(page);
  const rows = () => page.locator('tbody td.lead a').allTextContents();
  await page.goto(`/app/p/${site.empty}/payouts?q=uma`);
  await settle(page);
  await page.getByRole('button', { name: 'Actions for the payout to uma' }).click();
  await page.getByRole('button', { name: 'Commissions of this payout' }).click();
  await page.waitForURL(/\/commissions\?payout_id=\d+$/);
  await expect.poll(rows).toEqual(['sale-of-uma']);
  await expectAccessible(page);
  // The link to the CSV file and the tabs keep the filter.
  expect(await page.getByRole('link', { name: 'CSV' }).getAttribute('href')).toContain(`payout_id=${id}`);
  await page.getByRole('link', { name: 'Approved 1', exact: true }).click();
  await page.waitForURL(/status=approved/);
  await expect.poll(rows).toEqual(['sale-of-uma']);
  await page.getByRole('button', { name: `Payout ${id}`, exact: true }).click();
  await page.waitForURL(/\/commissions\?status=approved$/);
  await expect.poll(rows).toContain('sale-of-victor');

  await page.goto(`/app/p/${site.empty}/payouts?q=uma`);
  await settle(page);
  await expect.poll(rows).toEqual(['uma']);
  await page.getByLabel('To (UTC)').fill('2026-01-31');
  await page.waitForURL(/dateTo=2026-01-31/);
  await shown(page, 'No payouts match these filters.');
  await page.getByLabel('To (UTC)').fill('');
  await page.getByLabel('From (UTC)').fill('2026-01-31');
  await page.waitForURL(/\?q=uma&dateFrom=2026-01-31$/);
  await expect.poll(rows).toEqual(['uma']);
  expect(problems).toEqual([]);
  await context.close();
});
