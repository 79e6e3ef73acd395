import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, loseReply, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

let page: Page;

beforeAll(async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  page = await context.newPage();
  await signIn(page);
  return () => context.close();
});

async function open(path: string): Promise<void> {
  await page.goto(`/app/p/${site.full}${path}`);
  await settle(page);
}

const readProgram = () =>
  site.call<Record<string, unknown>>('GET', `/api/advertiser/affiliate-programs/${site.full}`);

test('creates a link for a partner found by name, deactivates the link, and undoes the change', async () => {
  await open('/links');
  await page.getByRole('button', { name: 'Create a link' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.getByText('Choose a partner from the list.').waitFor();
  await dialog.getByLabel('Partner').fill('Ana · ana@partner.example');
  await dialog.getByLabel('Code (optional)').fill('SPRING');
  await dialog.getByText('Choose a partner from the list.').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.getByText('https://shop.example/?aff=SPRING').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row').filter({ hasText: 'SPRING' });
  await expect.poll(() => row.textContent()).toContain('Ana');
  await row.getByRole('button', { name: 'Actions for SPRING' }).click();
  await row.getByRole('button', { name: 'Deactivate' }).click();
  await row.getByText('Inactive').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Active', { exact: true }).waitFor();
});

test('shows the QR code of a link and offers it as a file', async () => {
  await open('/links?q=SPRING');
  await page.getByRole('button', { name: 'Actions for SPRING' }).click();
  await page.getByRole('button', { name: 'QR code' }).click();
  await page.getByRole('img', { name: 'QR code that opens https://shop.example/?aff=SPRING' }).waitFor();
  await expectAccessible(page);
  const waiting = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download SVG' }).click();
  expect((await waiting).suggestedFilename()).toBe('SPRING.svg');
});

test('approves and edits a partner, and shows the earnings of a partner', async () => {
  await open('/partners?status=pending');
  await page.getByRole('link', { name: 'Ben' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ben' }).waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('Ben is approved.').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Benjamin');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Benjamin' }).waitFor();
  await page.route('**/invite', loseReply, { times: 1 });
  await page.getByRole('button', { name: 'Actions for Benjamin' }).click();
  await page.getByRole('button', { name: 'New invitation link' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('No reply arrived, so earlier invitation links may have stopped working.').waitFor();

  await open('/partners/1');
  await page.getByLabel('Amounts in').selectOption('EUR');
  await page.getByRole('button', { name: /^Revenue, EUR/ }).click();
  expect(page.url()).toContain('measure=revenue');
  await page.getByRole('slider', { name: 'Revenue, EUR per day, UTC' }).waitFor();
  const earnings = page.getByRole('table', { name: 'Earnings' });
  await expect.poll(() => earnings.getByRole('row').count()).toBe(3);
  await page.getByRole('table', { name: 'Latest commissions' }).getByText('order-0').waitFor();
});

test('shows a long transaction id in one line, and the whole id on hover', async () => {
  await open('/commissions');
  const link = page.getByTitle(/^order-4-/);
  expect(await link.getAttribute('title')).toBe(await link.textContent());
  expect((await link.boundingBox())?.height).toBeLessThan(24);
  const cells = await page
    .locator('td.end')
    .evaluateAll((all) => all.map((cell) => cell.scrollWidth - cell.clientWidth));
  expect(Math.max(...cells)).toBeLessThanOrEqual(0);
});

test('keeps the largest amounts and the menu of a row inside the table', async () => {
  for (const path of ['/commissions', '/partners', '/payouts', '/events']) {
    await open(path);
    const hidden = await page
      .locator('.card.flush')
      .evaluateAll((cards) => cards.map((card) => card.scrollWidth - card.clientWidth));
    expect({ path, hidden: Math.max(...hidden) }).toEqual({ path, hidden: 0 });
  }
});

test('shows minimum payouts, and an example of an amount, with the decimals of the currency', async () => {
  await open('/partners/2');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Minimum payout in USD').fill('25.00');
  const hint = page.getByText(/^Other currencies use the same number: /);
  await hint.waitFor();
  const text = (await hint.textContent())?.replaceAll('\u00a0', ' ');
  expect(text).toContain('¥2,500');
  expect(text).toContain('KWD 2.500');
  await page.getByRole('button', { name: 'Cancel' }).click();

  await site.call('PUT', `/api/advertiser/affiliate-programs/${site.empty}`, { currency: 'JPY' });
  await page.goto(`/app/p/${site.empty}/payouts`);
  await page.getByRole('button', { name: 'Pay partners' }).first().click();
  await page.getByLabel('Minimum payout').fill('25.00');
  await page.getByText('Enter an amount such as 2500, without thousands separators.').waitFor();
});

test('the verdict on a sale says that the sale was refunded later', async () => {
  await open(`/why?q=order-4-${'0123456789'.repeat(3)}`);
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByText('£0.00').waitFor();
  await verdict.getByText(/^The whole sale was refunded/).waitFor();
});

test('the link in a verdict opens the simulator with the same sale, which earns the same commission', async () => {
  const program = `/api/advertiser/affiliate-programs/${site.full}`;
  await site.call('PUT', program, { commission_base: 'net' });
  const track = <T>(event: string, body: object) =>
    site.call<T>('POST', `/api/v1/track/${event}`, body, site.fullToken);
  const { click_id } = await track<{ click_id: string }>('click', {
    affiliate_url: 'https://shop.example/?aff=ana',
  });
  const lines = [
    { product_id: 'kettle', amount_cents: 6_000, tax_cents: 1_000 },
    { product_id: 'tea', amount_cents: 6_000, tax_cents: 1_000 },
  ];
  const sale = {
    click_id,
    subscription_id: 'box',
    amount_cents: 13_000,
    tax_cents: 2_000,
    shipping_cents: 1_000,
  };
  await track('sale', { ...sale, transaction_id: 'box-1', line_items: lines });
  await track('sale', { ...sale, transaction_id: 'box-2', line_items: lines });
  await open('/why?q=box-2');
  // 15.00 for the kettle, plus 20% of 50.00 for the tea. The price of the tea is 60.00, of which 10.00 is tax.
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByText('$25.00', { exact: true }).waitFor();
  await verdict.getByRole('link', { name: 'Try another policy' }).click();
  const simulator = page.getByRole('region', { name: 'Simulator' });
  await simulator.getByLabel('Try another policy').uncheck();
  await simulator.getByText('$25.00', { exact: true }).waitFor();
  await simulator.getByLabel('Tax in USD').fill('125');
  await simulator.getByText('Tax and shipping together must not exceed the sale amount.').first().waitFor();
  await simulator.getByLabel('Tax in USD').fill('20');
  await simulator.getByText('these products as in the original sale: kettle and tea.').waitFor();
  expect(await simulator.getByLabel('The sale renews a subscription').isChecked()).toBe(true);
  expect(await simulator.getByLabel('Days after first payment').inputValue()).toBe('0');
  await expectAccessible(page);
  // Without the sale in the URL, the simulator starts with its defaults.
  await page.getByRole('navigation').getByRole('link', { name: 'Policies', exact: true }).click();
  await expect.poll(() => simulator.getByLabel('Sale amount in USD').inputValue()).toBe('100.00');
  await site.call('PUT', program, { commission_base: 'total' });
});

test('says that a disputed commission is payable after the dispute, and shows the currency of the sale', async () => {
  const changes = { disputed: true, sale_amount_cents: 8000, sale_currency: 'JPY', currency: 'CAD' };
  await page.route('**/api/**/commissions?*', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { data: readonly object[] };
    await route.fulfill({ json: { ...body, data: body.data.map((row) => ({ ...row, ...changes })) } });
  });
  await open('/commissions?sort=amount_cents');
  await page.getByRole('cell', { name: 'After the dispute' }).first().waitFor();
  await page.getByRole('cell', { name: '¥8,000', exact: true }).first().waitFor();
  await page.getByRole('cell', { name: 'CA$4.00', exact: true }).waitFor();
  await page.getByText('Sorted by the original amounts').waitFor();
  await open('/partners/1');
  await page.getByRole('cell', { name: '¥8,000', exact: true }).first().waitFor();
  await page.unrouteAll();
});

test('a reversed commission can be raised, but not lowered below zero', async () => {
  await open('/commissions?status=reversed');
  await page.getByRole('button', { name: /^Actions for order-4/ }).click();
  await page.getByRole('button', { name: 'Adjust…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Adjust this commission' });
  await dialog.getByText('Nothing is left that you can subtract.').waitFor();
  const adjust = async (text: string) => {
    await dialog.getByLabel('Amount in GBP').fill(text);
    await dialog.getByRole('button', { name: 'Adjust' }).click();
  };
  await dialog.getByLabel('Reason').fill('Refunded by mistake');
  await adjust('-3');
  await dialog.getByText('You can subtract at most £0.00.').waitFor();
  const lost = Promise.withResolvers<Route>();
  await page.route('**/adjust', (route) => route.abort().then(() => lost.resolve(route)), { times: 1 });
  await adjust('3');
  await dialog.getByText('No reply arrived, so the commission may have been adjusted.').waitFor();
  // The server makes the adjustment after the page has given up and read the commissions again.
  await (await lost.promise).fetch();
  await adjust('2');
  await dialog.getByText('An earlier attempt has already adjusted this commission.').waitFor();
  await page.getByText('£3.00', { exact: true }).first().waitFor();
  await adjust('3');
  await page.getByRole('cell', { name: '£3.00' }).waitFor();
});

test('a commission that needs approval is never called pending', async () => {
  const track = (event: string, body: object, headers = {}) =>
    fetch(`${site.url}/api/v1/track/${event}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const clicked = await site.call<{ click_id: string }>(
    'POST',
    '/api/v1/track/click',
    { affiliate_url: 'https://shop.example/?aff=ana' },
    site.fullToken,
  );
  // Only a browser has reported the customer key, so the commission needs approval.
  await track('lead', { click_id: clicked.click_id, customer_key: 'claimed' });
  const sale = {
    transaction_id: 'order-claimed',
    customer_key: 'claimed',
    amount_cents: 4_000,
    currency: 'USD',
  };
  await track('sale', sale, { authorization: `Bearer ${site.fullToken}` });

  for (const path of ['/why', '/partners/1']) {
    await open(path);
    const row = page.getByRole('row', { name: /order-claimed/ });
    await row.getByText('Needs approval').waitFor();
    expect(await row.getByText('Pending').count()).toBe(0);
  }
  await page.getByRole('link', { name: 'order-claimed' }).click();
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByText('Needs approval').waitFor();
  expect(await verdict.getByText('Pending').count()).toBe(0);
  await expectAccessible(page);

  await open('/commissions');
  const hint = page.getByText('Includes 1 commission that needs approval.');
  expect(await hint.count()).toBe(0);
  await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Pending' }).click();
  await hint.waitFor();
});

test('filters commissions by a partner', async () => {
  await open('/commissions?partner_id=1');
  const filter = page.getByRole('combobox', { name: 'Partner' });
  await expect.poll(() => filter.inputValue()).toBe('Ana');
  await filter.fill('');
  await expect.poll(() => page.url()).not.toContain('partner_id');
});

test('changes settings, shows each error at its field, and asks before it discards unsaved changes', async () => {
  await open('/settings');
  const hold = page.getByLabel('Hold in days');
  await hold.fill('999');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Enter a whole number of days from 0 to 365.').waitFor();
  await hold.fill('30');
  await page.getByRole('link', { name: 'Links' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  // The form accepts this domain, but the server rejects it.
  await page.getByLabel('Cookie domain').fill('co.uk');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => page.getByLabel('Cookie domain').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await page.getByLabel('Cookie domain').fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved: Hold in days.').waitFor();
  expect(await readProgram()).toMatchObject({ hold_days: 30, cookie_domain: null });
  // The button that had the focus is gone.
  await expect.poll(() => page.locator(':focus').textContent()).toBe('Settings');

  // What the user types while a save is in flight is kept.
  let reply = () => {};
  await page.route(`**/affiliate-programs/${site.full}`, async (route) => {
    const replied = new Promise<void>((resolve) => {
      reply = resolve;
    });
    await replied;
    await route.continue();
  });
  await hold.fill('31');
  await page.getByLabel('Attribution window in days').fill('20');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await sent;
  await hold.fill('32');
  reply();
  await page.getByText('1 unsaved change').waitFor();
  expect(await hold.inputValue()).toBe('32');
  expect(await readProgram()).toMatchObject({ hold_days: 31, cookie_window_days: 20 });
  await page.unrouteAll();
});

test('offers to add a new site to the allowed websites, because its calls would otherwise be rejected', async () => {
  const api = `/api/advertiser/affiliate-programs/${site.empty}`;
  await site.call('PUT', api, { allowed_origins: ['https://shop.example'] });
  await page.goto(`/app/p/${site.empty}/settings`);
  const address = page.getByLabel('Site', { exact: true });
  const offer = page.getByRole('button', { name: /^Also allow/ });
  await address.fill('https://shop.example/tea');
  expect(await offer.count()).toBe(0);
  await address.fill('https://new.example/tea');
  await page.getByText('https://new.example is not an allowed website').waitFor();
  await expectAccessible(page);
  await offer.click();
  // The button disappears, and the focus moves to the message.
  const added = page.getByText('When you save, clicks and sign-ups from https://new.example are accepted.');
  await page.getByRole('status').filter({ has: added }).and(page.locator(':focus')).waitFor();
  expect(await page.getByRole('textbox', { name: 'Website 2' }).inputValue()).toBe('https://new.example');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved: Site and Allowed websites.').waitFor();
  expect(await site.call('GET', api)).toMatchObject({
    site_url: 'https://new.example/tea',
    allowed_origins: ['https://shop.example', 'https://new.example'],
  });
});

test('replaces the tracking token, and does not delete a program that owes money', async () => {
  await open('');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  const create = dialog.getByRole('button', { name: 'Create', exact: true });
  const route = '**/regenerate-api-token';
  await page.route(route, loseReply, { times: 1 });
  await create.click();
  await dialog.getByText('No reply arrived, so the token may have been replaced.').waitFor();
  // The page behind the dialog shows the token that is valid now.
  await page.getByText(String((await readProgram())['api_token_masked'])).waitFor();

  // The dialog cannot be closed before it has shown the new token.
  const { promise: isContinued, resolve: continueRequest } = Promise.withResolvers<void>();
  await page.route(route, (request) => isContinued.then(() => request.continue()), { times: 1 });
  const requested = page.waitForRequest(route);
  await create.click();
  await requested;
  await dialog.getByRole('button', { name: 'Cancel', disabled: true }).click({ force: true });
  await dialog.getByRole('button', { name: 'Close', disabled: true }).click({ force: true });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  const historyEntry = () => page.evaluate<string>('navigation.currentEntry.key');
  const entry = await historyEntry();
  await page.evaluate(() => history.back());
  await expect.poll(historyEntry).not.toBe(entry);
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/settings$/);
  continueRequest();
  await dialog.getByRole('button', { name: 'Show' }).click();
  await dialog.getByText(/^aff_\w{20}/).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete the program' }).click();
  await dialog.getByRole('button', { name: 'Delete the program' }).click();
  await dialog.getByText('This is not the name of the program.').waitFor();
  await dialog.getByLabel('Name of the program').fill(String((await readProgram())['name']));
  await dialog.getByRole('button', { name: 'Delete the program' }).click();
  await dialog.getByRole('alert').waitFor();
});

test('checks the rows of a file before it imports them', async () => {
  const row = { line: 2, ok: true, is_new: true };
  const failed = { line: 3, ok: false, code: 'invalid_field', error: 'email must be an email address' };
  const imported = Promise.withResolvers<void>();
  await page.route('**/partners/import?*', async (route) => {
    const isDryRun = route.request().url().includes('dry_run=1');
    const data = [isDryRun ? row : { ...row, partner_id: 1, invite_token: 'affi_1' }, failed];
    const meta = { dry_run: isDryRun, created: 1, existing: 0, failed: 1 };
    if (!isDryRun) await imported.promise;
    return route.fulfill({ json: { success: true, data, meta } });
  });
  await page.route('**/partners/import?dry_run=0', (route) => route.abort(), { times: 1 });
  await open('/partners/import');
  await page.getByLabel('Or paste the rows').fill('name,email\nCleo,cleo@partner.example\nDan,dan');
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByText('Nothing is imported yet: 1 new, 1 with an error.').waitFor();
  await page.getByRole('row').filter({ hasText: 'Dan,dan' }).getByText(failed.error).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Import 1 partner' }).click();
  await page.getByText('No reply arrived, so the partners may have been imported.').waitFor();
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByRole('button', { name: 'Import 1 partner' }).click();
  // A change or another check would discard the reply, which contains the only copy of the invitations.
  await expect.poll(() => page.getByLabel('Or paste the rows').isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Check the rows', disabled: true }).waitFor();
  imported.resolve();
  await page.getByText('Imported: 1 new, 1 with an error.').waitFor();
  await page.getByText(/Cleo,cleo@partner\.example.*\/app\/invite#affi_1/s).waitFor();
});
