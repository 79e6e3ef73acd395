import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

let page: Page;
let problems: string[];

beforeAll(async () => {
  const opened = await openContext({ width: 1280, colorScheme: 'light' });
  ({ problems } = opened);
  page = await opened.context.newPage();
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('Denied', 'NotAllowedError'));
    document.execCommand = () => false;
  });
  await signIn(page);
  return () => opened.context.close();
});

async function open(path: string): Promise<void> {
  await page.goto(`/app/p/${site.full}${path}`);
  await settle(page);
}

const failed = () => page.getByRole('dialog', { name: 'Copying failed' });

/** Checks that the dialog offers the text, closes the dialog, and returns the text. */
async function readOfferedText(): Promise<string> {
  const field = failed().getByLabel('Text to copy').and(page.locator(':focus'));
  await field.waitFor();
  const text = await field.inputValue();
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(text);
  await expectAccessible(page);
  await failed().getByRole('button', { name: 'Done' }).click();
  await failed().waitFor({ state: 'detached' });
  return text;
}

test('offers the selected text if the browser does not allow copying', async () => {
  await open('/links');
  const row = page.getByRole('row').filter({ hasText: 'ana' });
  await row
    .getByRole('button', { name: /^Copy / })
    .first()
    .click();
  expect(await readOfferedText()).toBe('https://shop.example/?aff=ana');
  await row.getByRole('button', { name: 'Actions for ana' }).click();
  await page.getByRole('button', { name: 'Copy the link', exact: true }).click();
  expect(await readOfferedText()).toBe('https://shop.example/?aff=ana');
  expect(problems).toEqual([]);
});

test('offers a one-time secret as selected text if the browser does not allow copying', async () => {
  await open('/settings');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
  expect(await readOfferedText()).toMatch(/^aff_\w{20}/);
  // The secret can still be copied, because its dialog is still open.
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).waitFor();
  expect(problems).toEqual([]);
});

test('copies the selection if the browser refuses clipboard access', async () => {
  await page.addInitScript(() => {
    document.execCommand = () => {
      document.body.dataset['copied'] = getSelection()?.toString() ?? '';
      return true;
    };
  });
  await open('/links');
  const row = page.getByRole('row').filter({ hasText: 'ana' });
  await row
    .getByRole('button', { name: /^Copy / })
    .first()
    .click();
  await row.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.locator('body').getAttribute('data-copied')).toBe('https://shop.example/?aff=ana');
  expect(await failed().count()).toBe(0);
});
