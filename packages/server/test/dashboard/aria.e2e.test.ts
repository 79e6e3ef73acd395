import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

const PROGRAMS = '/api/advertiser/affiliate-programs';

let page: Page;

beforeAll(async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  page = await context.newPage();
  return () => context.close();
});

/** Opens a page of the full program, and returns what a screen reader finds in a part of it. */
async function readPart(path: string, selector: string): Promise<string> {
  await page.goto(`/app/p/${site.full}${path}`);
  await settle(page);
  return page.locator(selector).first().ariaSnapshot();
}

test('the sign-in page has a heading, labeled fields, and a button', async () => {
  await page.goto('/app/sign-in');
  await page.getByLabel('Email').waitFor();
  expect(await page.locator('body').ariaSnapshot()).toMatchInlineSnapshot(`
    "- main:
      - heading "Sign in" [level=1]
      - text: Email
      - textbox "Email"
      - text: Password
      - textbox "Password"
      - button "Sign in"
      - paragraph:
        - link "Forgot your password?":
          - /url: /app/forgot-password
      - paragraph: No account? Ask an owner of the workspace for an invitation. If the server is new, its log shows the first owner’s password."
  `);
  await signIn(page);
});

test('the navigation is a named list of links', async () => {
  expect(await readPart('/partners', '.nav')).toMatchInlineSnapshot(`
    "- navigation "Program":
      - link "Overview":
        - /url: /app/p/2
      - link "Why?":
        - /url: /app/p/2/why
      - link "Events":
        - /url: /app/p/2/events
      - link "Partners":
        - /url: /app/p/2/partners
      - link "Links":
        - /url: /app/p/2/links
      - link "Commissions":
        - /url: /app/p/2/commissions
      - link "Payouts":
        - /url: /app/p/2/payouts
      - link "Policies":
        - /url: /app/p/2/policies
      - link "Webhooks":
        - /url: /app/p/2/webhooks
      - link "Setup":
        - /url: /app/p/2/setup
      - link "Settings":
        - /url: /app/p/2/settings"
  `);
});

test('a list names its columns and each control', async () => {
  expect(await readPart('/partners?q=ana', 'table')).toMatchInlineSnapshot(`
    "- table "Partners":
      - rowgroup:
        - row "Select all rows of this page Partner Status Clicks Sign-ups Sales Payable Balance Actions":
          - columnheader "Select all rows of this page":
            - checkbox "Select all rows of this page"
            - text: Select all rows of this page
          - columnheader "Partner":
            - button "Partner"
          - columnheader "Status"
          - columnheader "Clicks":
            - button "Clicks"
          - columnheader "Sign-ups":
            - button "Sign-ups"
          - columnheader "Sales":
            - button "Sales"
          - columnheader "Payable"
          - columnheader "Balance":
            - button "Balance"
          - columnheader "Actions"
      - rowgroup:
        - row "Select this row Ana ana@partner.example Approved 2 2 2 €2,000,000,000.00 $4.00 €2,000,000,000.00 $4.00 Actions for Ana":
          - cell "Select this row":
            - checkbox "Select this row"
            - text: Select this row
          - cell "Ana ana@partner.example":
            - link "Ana":
              - /url: /app/p/2/partners/1
            - text: ana@partner.example
          - cell "Approved"
          - cell "2"
          - cell "2"
          - cell "2"
          - cell "€2,000,000,000.00 $4.00"
          - cell "€2,000,000,000.00 $4.00"
          - cell "Actions for Ana":
            - button "Actions for Ana""
  `);
});

test('the measures are buttons, of which one is pressed', async () => {
  expect(
    await readPart('/', '[role="group"][aria-label="Measures"], fieldset[aria-label="Measures"]'),
  ).toMatchInlineSnapshot(`
    "- group "Measures":
      - button "Clicks 5 New" [pressed]
      - button "Sign-ups 5 New"
      - button "Customers 5 New"
      - button "Sales 5 New"
      - button "Revenue, USD $19.99 New"
      - button "Commission, USD $4.00 New""
  `);
});

test('a chart is a slider, and has a button that shows its table', async () => {
  expect(await readPart('/', 'figure')).toMatchInlineSnapshot(`
    "- figure:
      - slider "Clicks"
      - button "Show as table""
  `);
});

test('the explanation of a sale names its parts, and says which policy applied', async () => {
  expect(
    await readPart('/why?q=order-0', 'section:has(> h2:text-is("Policies checked"))'),
  ).toMatchInlineSnapshot(`
    "- region "Policies checked":
      - heading "Policies checked" [level=2]
      - list:
        - listitem:
          - strong: 20%
          - text: "Policy 2: all products, all partners Applied"
        - listitem:
          - strong: $15.00 per sale
          - text: "Policy 3: product kettle, all partners This policy is for another product.""
  `);
});

test('the page of a program has headings, and a form with labeled fields', async () => {
  const questions = [{ id: 'site', label: 'Where do you write?', type: 'url', required: true }];
  const settings = { published: true, description: 'Write about our tea.', terms: 'No ads.', questions };
  await site.call('PUT', `${PROGRAMS}/${site.empty}/page`, settings);
  await page.goto('/p/empty');
  await page.getByRole('button', { name: 'Apply' }).waitFor();
  expect(await page.locator('body').ariaSnapshot()).toMatchInlineSnapshot(`
    "- main:
      - heading "Become a partner of Nothing here yet" [level=1]
      - paragraph: You earn 20% of each sale. Each renewal of a subscription earns a commission too.
      - paragraph: Write about our tea.
      - term: Time from click to sale
      - definition: 60 days
      - term: Shop
      - definition:
        - link "shop.example":
          - /url: https://shop.example/
      - heading "Terms" [level=2]
      - region "Terms":
        - paragraph: No ads.
      - heading "Apply" [level=2]
      - text: Your name
      - textbox "Your name"
      - text: Email address
      - textbox "Email address"
      - text: Where do you write?
      - textbox "Where do you write?":
        - /placeholder: https://
      - checkbox "I accept the terms."
      - text: I accept the terms.
      - button "Apply""
  `);
});

describe('the partner portal', () => {
  let partner: Page;

  beforeAll(async () => {
    const user = { email: 'cleo@partner.example', password: 'correct horse of Cleo' };
    const invited = { name: 'Cleo', email: user.email, code: 'cleo' };
    const { invite_token: token } = await site.call<{ invite_token: string }>(
      'POST',
      `${PROGRAMS}/${site.full}/partners`,
      invited,
    );
    await fetch(`${site.url}/api/auth/accept-invite`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password: user.password }),
    });
    const track = (route: string, body: object) =>
      site.call<{ click_id: string }>('POST', `/api/v1/track/${route}`, body, site.fullToken);
    const { click_id } = await track('click', { affiliate_url: 'https://shop.example/?aff=cleo' });
    const order = { transaction_id: 'order-of-cleo', customer_key: 'customer-of-cleo', click_id };
    await track('sale', { ...order, amount_cents: 5_000, currency: 'USD' });
    await site.runJobs();
    const { context } = await openContext({ width: 1280, colorScheme: 'light' });
    partner = await context.newPage();
    await partner.goto('/app/sign-in');
    await partner.getByLabel('Email').fill(user.email);
    await partner.getByLabel('Password').fill(user.password);
    await partner.getByRole('button', { name: 'Sign in' }).click();
    await partner.waitForURL(/\/app\/partner/);
    return () => context.close();
  });

  /** Opens a page of the portal, and returns what a screen reader finds in a part of it. */
  async function readPortal(path: string, selector: string): Promise<string> {
    await partner.goto(`/app/partner${path}`);
    await settle(partner);
    return partner.locator(selector).first().ariaSnapshot();
  }

  test('has a named list of pages', async () => {
    expect(await readPortal(`/${site.full}`, '.nav')).toMatchInlineSnapshot();
  });

  test('names each part of the balance, and says what the partner earns', async () => {
    expect(await readPortal(`/${site.full}`, '[aria-label^="Balance"]')).toMatchInlineSnapshot();
    expect(
      await readPortal(`/${site.full}`, 'section:has(> h2:text-is("Your terms"))'),
    ).toMatchInlineSnapshot();
  });

  test('lists links with a button to copy each', async () => {
    expect(await readPortal(`/${site.full}/links`, 'table')).toMatchInlineSnapshot();
  });

  test('labels the fields of the payout details', async () => {
    expect(await readPortal('/payout-details', 'form')).toMatchInlineSnapshot();
  });
});
