import { expect, test } from 'vitest';
import { expectAccessible, openContext, settle, setUpDashboard, site } from './browser.ts';

setUpDashboard();

const PROGRAMS = '/api/advertiser/affiliate-programs';
const ZOE = { name: 'Zoe', email: 'zoe@blog.example' };
const PASSWORD = 'correct horse of zoe';

interface Created {
  readonly id: number;
  readonly invite_token: string;
}

/** Creates a workspace with one program. */
async function createShop(name: string): Promise<{ workspaceId: number; programId: number }> {
  const { id } = await site.call<Created>('POST', '/api/advertiser/workspaces', { name });
  const program = await site.call<Created>('POST', PROGRAMS, {
    workspace_id: id,
    name,
    slug: name.toLowerCase().replaceAll(' ', '-'),
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 10 },
  });
  return { workspaceId: id, programId: program.id };
}

const enroll = (programId: number, code: string) =>
  site.call<Created>('POST', `${PROGRAMS}/${programId}/partners`, { ...ZOE, code });

test('one account is an advertiser in one workspace, and a partner in several programs and workspaces', async () => {
  const own = await createShop('Own shop');
  const second = await createShop('Second shop');
  const asPartner = await enroll(site.empty, 'zoe-one');
  const asPartnerOfSecond = await enroll(second.programId, 'zoe-three');
  const asMember = await site.call<Created>('POST', '/api/advertiser/members', {
    ...ZOE,
    role: 'admin',
    workspace_id: own.workspaceId,
  });
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  const openInvitation = async ({ invite_token }: Created) => {
    // A change of only the fragment does not load the page again, so open another page first.
    await page.goto('about:blank');
    await page.goto(`/app/invite#${invite_token}`);
  };
  const accept = () => page.getByRole('button', { name: 'Accept' }).click();
  // Zoe's password was set through the link of the first invitation. The advertiser had the same link, and may
  // therefore know the password. To accept another invitation, Zoe enters the password to confirm that nobody else
  // knows it.
  const acceptWithPassword = async () => {
    await accept();
    await page.getByText(/^You are signed in as zoe@blog\.example\. Enter your password/).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Your password').fill(PASSWORD);
    await accept();
  };

  await openInvitation(asPartner);
  await page.getByLabel('Password').fill(PASSWORD);
  await accept();
  await page.waitForURL(new RegExp(`/app/partner/${site.empty}$`));
  await settle(page);
  expect(await page.getByRole('link', { name: 'Advertiser pages' }).count()).toBe(0);
  await openInvitation(asPartnerOfSecond);
  await acceptWithPassword();
  await page.waitForURL(/\/app\/partner\/\d+$/);
  // Zoe is already a partner of this workspace, so the enrollment in another program needs no invitation.
  await enroll(site.full, 'zoe-two');
  await openInvitation(asMember);
  await acceptWithPassword();
  await page.waitForURL(new RegExp(`/app/p/${own.programId}$`));
  await settle(page);

  // As an advertiser, Zoe has only her own program.
  const programs = page.getByRole('combobox', { name: 'Program', exact: true });
  expect(await programs.locator('option').allTextContents()).toEqual(['Own shop', 'New program…']);
  for (const id of [site.empty, second.programId]) {
    await page.goto(`/app/p/${id}/partners`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  }
  await page.goto(`/app/p/${own.programId}/partners`);
  await page.getByText(/No partners yet/).waitFor();

  // As a partner, Zoe has three programs in two workspaces, each with its own links.
  await page.getByRole('link', { name: 'Partner portal' }).click();
  await page.waitForURL(/\/app\/partner\/\d+$/);
  await settle(page);
  await expectAccessible(page);
  const names = (await programs.locator('option').allTextContents()).map((name) => name.slice(0, 16));
  expect(names.toSorted()).toEqual(['Full Straße ☕️ ש', 'Nothing here yet', 'Second shop']);
  for (const [id, code] of [
    [site.empty, 'zoe-one'],
    [site.full, 'zoe-two'],
    [second.programId, 'zoe-three'],
  ] as const) {
    await programs.selectOption(String(id));
    await page.waitForURL((url) => url.pathname.startsWith(`/app/partner/${id}`));
    await page.getByRole('navigation').getByRole('link', { name: 'Links' }).click();
    await page.getByRole('link', { name: code, exact: true }).waitFor();
    expect(await page.getByRole('table', { name: 'Links' }).locator('tbody tr').count()).toBe(1);
  }
  await page.goto(`/app/partner/${own.programId}`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();

  // Zoe is a separate partner in each workspace, with separate payout details.
  await page.goto('/app/partner/payout-details');
  const workspaces = page.getByRole('combobox', { name: 'Workspace' });
  await workspaces.selectOption('Second shop');
  await page.getByLabel('How you are paid').selectOption('PayPal');
  await page.getByLabel('Email address of the account').fill('zoe@pay.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your payout details are saved.').waitFor();
  const [other] = (await workspaces.locator('option').allTextContents()).filter(
    (name) => name !== 'Second shop',
  );
  await workspaces.selectOption(other ?? '');
  await page.getByText('No payout details yet.').waitFor();
  await expectAccessible(page);
  await page.goto('/app/partner/account');
  await page.getByRole('definition').getByText('Second shop').waitFor();

  await page.getByRole('link', { name: 'Advertiser pages' }).click();
  await page.waitForURL(new RegExp(`/app/p/${own.programId}$`));
  // Browsers log the rejected requests for programs of other users.
  expect(
    problems.filter((text) => !/^Failed to load resource.*(?:401|403|404|409)|^\[DOM\]/.test(text)),
  ).toEqual([]);
  await context.close();
});
