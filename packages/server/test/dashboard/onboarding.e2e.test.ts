import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible, openContext, pressEnterAgain, setUpDashboard, site } from './browser.ts';

setUpDashboard();

const PASSWORD = 'correct horse battery';
/** Pages that wait for events reload their data within this time. */
const REFRESH_MS = 4_000;

/** Adds a user to a new workspace without programs. */
async function addUser(workspace: string, role: string): Promise<string> {
  const { id } = await site.call<{ id: number }>('POST', '/api/advertiser/workspaces', { name: workspace });
  const email = `${role}@new.example`;
  const { invite_token: token } = await site.call<{ invite_token: string }>(
    'POST',
    '/api/advertiser/members',
    { workspace_id: id, email, name: role, role },
  );
  // This request has no session, because a session would have to belong to the invited user.
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  return email;
}

/**
 * @param hasClock whether the test controls the clock of the page. If so, the time stamps of mouse clicks are less
 * exact, so a test of double clicks must use the real clock
 */
async function openAs(email: string, hasClock = true): Promise<{ page: Page; problems: string[] }> {
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  if (hasClock) await page.clock.install();
  await page.goto('/app/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/app\/welcome$/);
  return { page, problems };
}

describe('without a program', () => {
  test('a member sees who can create a program', async () => {
    const { page, problems } = await openAs(await addUser('Closed shop', 'member'));
    await page.getByText('Ask an owner or an admin of Closed shop to create one.').waitFor();
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('Back keeps the fields of the first two steps, and a double click does not skip a step', async () => {
    const { page, problems } = await openAs(await addUser('Busy shop', 'admin'), false);
    const created: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/affiliate-programs'))
        created.push(request.url());
    });
    const focused = (heading: string) => page.locator('h2:focus', { hasText: heading }).waitFor();
    const next = page.getByRole('button', { name: 'Continue' });
    await page.getByLabel('Name of the program').fill('Busy Shop');
    await page.getByLabel('Your site').fill('busy.example');
    const { x, y, width } = (await next.boundingBox()) ?? expect.fail('The button is not visible.');
    await page.mouse.dblclick(x + width / 2, y + 4);
    // Do not expect the focus on the heading, because the second click may have moved it to the button of this step.
    await page.getByRole('heading', { name: 'What do partners earn?' }).waitFor();
    await page.getByLabel('Percentage').fill('12.5');
    await page.goBack();
    expect(await page.getByLabel('Your site').inputValue()).toBe('busy.example');
    await next.focus();
    await page.keyboard.press('Enter');
    await focused('What do partners earn?');
    expect(await page.getByLabel('Percentage').inputValue()).toBe('12.5');
    expect(created).toEqual([]);
    // For 400 ms after a step appears, its button ignores the mouse, so that a double click does not skip the step. It
    // still accepts keys during this time.
    await page.getByLabel('Percentage').focus();
    await pressEnterAgain(page);
    await focused('Add the tracker to your site');
    expect(created).toHaveLength(1);

    // The browser's Back button does not offer to create the program again.
    const programId = new URL(page.url()).searchParams.get('program');
    await page.goBack();
    await page.waitForURL(new RegExp(`program=${programId}`));
    await page.getByRole('heading', { name: 'Add the tracker to your site' }).waitFor();
    await expectAccessible(page);

    await page.getByRole('combobox', { name: 'Program' }).selectOption('New program…');
    await page.getByLabel('Name of the program').fill('Second Shop');
    await page.getByLabel('Your site').fill('second.example');
    await page.getByLabel('Your site').press('Enter');
    await focused('What do partners earn?');
    await page.getByLabel('Percentage').focus();
    await pressEnterAgain(page);
    await focused('Add the tracker to your site');
    // The sidebar shows the program of the URL, not the latest one.
    await page.goto(`/app/welcome?program=${programId}&step=site`);
    await page.getByRole('heading', { level: 1, name: 'Busy Shop' }).waitFor();
    const shown = page.getByRole('combobox', { name: 'Program' }).locator('option:checked');
    expect(await shown.textContent()).toBe('Busy Shop');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('an owner gets from the first sign-in to the first click, and watches the events', async () => {
    const { page, problems } = await openAs(await addUser('New shop', 'owner'));
    const go = (name: string) => page.getByRole('button', { name }).click();
    const follow = (name: string) => page.getByRole('link', { name }).click();
    const focused = (heading: string) => page.locator('h2:focus', { hasText: heading }).waitFor();

    await go('Continue');
    await page.getByText('Enter a name.').waitFor();
    const isFocused = (field: string) =>
      page.getByLabel(field).evaluate((element) => element === document.activeElement);
    await expect.poll(() => isFocused('Name of the program')).toBe(true);
    await expectAccessible(page);
    await page.getByLabel('Name of the program').fill('Tea Shop');
    await page.getByLabel('Your site').fill('tea.example');
    await page.getByLabel('Currency').selectOption('EUR');
    await go('Continue');

    await focused('What do partners earn?');
    await page.getByLabel('Percentage').fill('12.5');
    await page.getByText('A sale of €100.00 earns the partner €12.50').waitFor();
    await page.reload();
    await page.getByLabel('Percentage').waitFor();
    expect(await page.locator('h2:focus').count()).toBe(0);
    expect(await page.getByLabel('Percentage').inputValue()).toBe('12.5');
    await expectAccessible(page);
    // Editing the commission must not restore the old name of the program.
    await page.getByRole('list', { name: 'Steps' }).getByRole('link').click();
    await page.getByLabel('Name of the program').fill('Tea House');
    await page.getByLabel('Name of the program').press('Enter');
    await page.getByLabel('Percentage').fill('15');
    await page.waitForURL(/rate=15/);
    expect(new URL(page.url()).searchParams.get('name')).toBe('Tea House');
    await page.getByLabel('Percentage').press('Enter');

    await focused('Add the tracker to your site');
    await page.getByText(/^aff_•+$/).waitFor();
    expect(await page.content()).not.toMatch(/aff_\w{8}/);
    await go('Show');
    const token = (await page.getByText(/^aff_\w+$/).textContent()) ?? '';
    const programId = new URL(page.url()).searchParams.get('program');
    await page.getByText(`data-program="${programId}"`).waitFor();
    await follow('WordPress');
    await page.getByText('wp_head').waitFor();
    await expectAccessible(page);
    // Load the page again. It shows the first unfinished step, but no longer the token, which is shown only once.
    await page.goto(`/app/welcome?program=${programId}`);
    await page.getByText('Add the tracker to your site').waitFor();
    await page.getByRole('button', { name: 'New token' }).waitFor();
    expect(await page.getByText(token).count()).toBe(0);
    await follow('Continue');

    await focused('Invite the first partner');
    // The overview leads to the first unfinished step, even if the user has visited later steps.
    await page.goto(`/app/welcome?program=${programId}&step=click`);
    await page.getByRole('heading', { name: 'Open the partner’s link' }).waitFor();
    const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    const done = steps.filter({ hasText: 'done' });
    // The step that the user has skipped is not done.
    await page.getByText('Waiting').first().waitFor();
    // The specific hint replaces the general one.
    await page.getByText('No sale has arrived yet, so there is nothing to refund.').waitFor();
    expect(await page.getByText('Refund a payment to test this step.').count()).toBe(0);
    expect(await done.count()).toBe(3);
    const continueFromOverview = async () => {
      await page.goto(`/app/p/${programId}`);
      await follow('Continue');
    };
    await continueFromOverview();
    await page.getByRole('heading', { name: 'Invite the first partner' }).waitFor();
    await go('Invite a partner');
    await page.getByLabel('Name').fill('Ana');
    await page.getByLabel('Email').fill('ana@new-partner.example');
    await page.getByLabel('Code').fill('ana-new');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await go('Done');
    await page.getByText('https://tea.example/?aff=ana-new').waitFor();
    // The dialog cannot return the focus to the button that opened it, because this button is gone.
    await focused('Invite the first partner');
    await follow('Continue');

    await focused('Open the partner’s link');
    await expect.poll(() => done.count()).toBe(4);
    await page.goto(`/app/welcome?program=${programId}&step=site`);
    await page.getByText('Add the tracker to your site').waitFor();
    await continueFromOverview();
    await page.getByRole('heading', { name: 'Open the partner’s link' }).waitFor();
    await expectAccessible(page);
    const { click_id: clickId } = await site.call<{ click_id: string }>(
      'POST',
      '/api/v1/track/click',
      { affiliate_url: 'https://tea.example/?aff=ana-new' },
      token,
    );
    await page.clock.fastForward(REFRESH_MS);
    await page.getByRole('heading', { name: 'The first click has arrived' }).waitFor();

    await follow('Connect your server');
    await page.getByRole('heading', { name: 'Setup' }).waitFor();
    await go('Send a test event');
    await page.getByText('All three arrived.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Sale' }).getByText('Tested').waitFor();
    await site
      .call('POST', '/api/v1/track/sale', { transaction_id: 'too-early', amount_cents: 1 }, token)
      .catch(() => {});
    await page.clock.fastForward(REFRESH_MS);
    await page.getByText(/The latest call was rejected: Affkit does not know this customer\./).waitFor();
    await expectAccessible(page);

    await follow('Events');
    await page.getByRole('link', { name: 'Ana', exact: true }).waitFor();
    await page.getByRole('table').hover();
    await site.call('POST', '/api/v1/track/lead', { click_id: clickId, customer_key: 'user-1' }, token);
    await page.clock.fastForward(REFRESH_MS);
    // New rows are held back while the pointer is over the rows.
    await go('1 new event');
    await page.getByText('user-1').waitFor();
    await page
      .getByRole('row', { name: /Sign-up/ })
      .getByRole('link', { name: /Why/ })
      .click();
    await page.getByText('What happened').waitFor();

    await page.goto(`/app/p/${programId}/setup`);
    await go('New token');
    await go('Create');
    await go('Show');
    expect(await page.getByText(/^aff_\w+$/).textContent()).not.toBe(token);
    await go('Done');
    await page.getByRole('combobox', { name: 'Program' }).selectOption('New program…');
    await page.getByRole('heading', { name: 'New program' }).waitFor();
    expect(await page.locator('h2:focus').count()).toBe(0);
    expect(problems).toEqual([]);

    const json = { error: 'Forbidden', code: 'forbidden', request_id: 'req_1' };
    await page.route('**/api/tracking/events/**', (route) => route.fulfill({ status: 403, json }));
    await page.goto(`/app/p/${programId}/events`);
    await page.getByText('Your role does not allow this.').waitFor();
    expect(await page.getByText(/Not connected/).count()).toBe(0);
    await expectAccessible(page);
    await page.unrouteAll();
    await page.goto(`/app/p/${programId}/events?dateFrom=2026-02-01&dateTo=2026-01-01`);
    await page
      .getByRole('alert')
      .getByText(/dateFrom/)
      .waitFor();
    expect(await page.getByText(/Not connected/).count()).toBe(0);
    await page.getByLabel('Search events').waitFor();
    await page.context().close();
  });
});
