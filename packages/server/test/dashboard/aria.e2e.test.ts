import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

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
