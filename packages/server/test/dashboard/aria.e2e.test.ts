import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, signIn, site } from './browser.ts';
import { CLEO, inviteCleo } from './invite-cleo.ts';

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
      - strong: Affkit
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
        - row "Select this row Ana ana@partner.example Approved 2 2 2 $4.00 €2,000,000,000.00 $4.00 €2,000,000,000.00 Actions for Ana":
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
          - cell "$4.00 €2,000,000,000.00"
          - cell "$4.00 €2,000,000,000.00"
          - cell "Actions for Ana":
            - button "Actions for Ana""
  `);
});

test('each measure has a button, and one of the buttons is pressed', async () => {
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

test('screen readers find a chart as a slider, with a button that shows the data as a table', async () => {
  expect(await readPart('/', 'figure')).toMatchInlineSnapshot(`
    "- figure:
      - slider "Clicks"
      - button "Show as table""
  `);
});

test('the explanation of a sale lists the policies that were checked, and says which one applied', async () => {
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
    const password = 'correct horse of Cleo';
    const token = await inviteCleo();
    await fetch(`${site.url}/api/auth/accept-invite`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password }),
    });
    const { context } = await openContext({ width: 1280, colorScheme: 'light' });
    partner = await context.newPage();
    await partner.goto('/app/sign-in');
    await partner.getByLabel('Email').fill(CLEO.email);
    await partner.getByLabel('Password').fill(password);
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
    expect(await readPortal(`/${site.full}`, '.nav')).toMatchInlineSnapshot(`
      "- navigation "Program":
        - link "Overview":
          - /url: /app/partner/2
        - link "Links":
          - /url: /app/partner/2/links
        - link "Earnings":
          - /url: /app/partner/2/earnings
        - link "Payouts":
          - /url: /app/partner/2/payouts"
    `);
    // Only the end of the sidebar has a link to the account. A second link would also be marked as the current page.
    await partner.goto('/app/partner/account');
    await settle(partner);
    expect(await partner.locator('.side [aria-current]').allTextContents()).toEqual([CLEO.email]);
  });

  test('names each part of the balance, and says what the partner earns', async () => {
    expect(await readPortal(`/${site.full}`, '[aria-label^="Balance"]')).toMatchInlineSnapshot(`
      "- term: In review
      - definition: $0.00
      - term: On hold
      - definition: $0.00
      - term: Payable
      - definition: $10.00
      - term: In a payout
      - definition: $0.00
      - term: Paid
      - definition: $0.00"
    `);
    expect(
      await readPortal(`/${site.full}`, 'section:has(> h2:text-is("Your terms"))'),
    ).toMatchInlineSnapshot(`
      "- region "Your terms":
        - heading "Your terms" [level=2]
        - paragraph: You earn 20% of each sale. Each renewal of a subscription earns a commission too.
        - term: Product kettle
        - definition: You earn $15.00 for each sale. Each renewal of a subscription earns a commission too.
        - paragraph: A sale earns a commission up to 60 days after a click on your link.
        - paragraph: Earnings are payable at once."
    `);
  });

  test('lists links with a button to copy each', async () => {
    expect(await readPortal(`/${site.full}/links`, 'table')).toMatchInlineSnapshot(`
      "- table "Links":
        - rowgroup:
          - row "Link Status Clicks Sign-ups Sales Earned before refunds Actions":
            - columnheader "Link"
            - columnheader "Status"
            - columnheader "Clicks"
            - columnheader "Sign-ups"
            - columnheader "Sales"
            - columnheader "Earned before refunds"
            - columnheader "Actions"
        - rowgroup:
          - row "cleo shop.example/?aff=cleo Copy cleo Active 1 0 1 $10.00 QR code of cleo":
            - cell "cleo shop.example/?aff=cleo Copy cleo":
              - link "cleo":
                - /url: /app/partner/2/links/4
              - text: shop.example/?aff=cleo
              - button "Copy cleo"
            - cell "Active"
            - cell "1"
            - cell "0"
            - cell "1"
            - cell "$10.00"
            - cell "QR code of cleo":
              - button "QR code of cleo": QR code"
    `);
  });

  test('labels the fields of the payout details', async () => {
    expect(await readPortal('/payout-details', 'form')).toMatchInlineSnapshot(`
      "- region "Account":
        - heading "Account" [level=2]
        - text: How you are paid
        - combobox "How you are paid":
          - option "PayPal"
          - option "Bank transfer (SEPA)" [selected]
          - option "Wise"
          - option "Stripe"
          - option "Another way"
        - text: Account holder
        - textbox "Account holder"
        - text: IBAN
        - textbox "IBAN"
        - text: BIC (optional)
        - textbox "BIC (optional)"
        - text: Banks outside of the SEPA area may need it. Currency of the account (optional)
        - textbox "Currency of the account (optional)"
        - text: Three letters, such as EUR. Amounts are not converted. If the account accepts every currency, leave this field empty.
      - region "Receipts and taxes":
        - heading "Receipts and taxes" [level=2]
        - text: Name of the person or company (optional)
        - textbox "Name of the person or company (optional)"
        - text: Shown on your receipts. Tax or VAT number (optional)
        - textbox "Tax or VAT number (optional)"
        - checkbox "Add a postal address"
        - text: Add a postal address
      - button "Save" [disabled]
      - text: No payout details yet."
    `);
  });
});
