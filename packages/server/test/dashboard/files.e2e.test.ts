import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let page: Page;
let browser: CDPSession;
let folder: string;

beforeAll(async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  page = await context.newPage();
  await signIn(page);
  browser = await context.newCDPSession(page);
  folder = mkdtempSync(join(tmpdir(), 'affkit-files-'));
  return async () => {
    await context.close();
    rmSync(folder, { recursive: true });
  };
});

/** Chooses a file as a user does. `setInputFiles` would report a change even if the browser does not. */
async function choose(path: string): Promise<void> {
  const { root } = await browser.send('DOM.getDocument');
  const field = { nodeId: root.nodeId, selector: 'input[type="file"]' };
  const { nodeId } = await browser.send('DOM.querySelector', field);
  await browser.send('DOM.setFileInputFiles', { nodeId, files: [path] });
}

test('reads a CSV file again when the user has corrected it and chooses it again', async () => {
  const path = join(folder, 'partners.csv');
  await page.goto(`/app/p/${site.empty}/partners/import`);
  await settle(page);
  writeFileSync(path, 'name,email\nAna,ana.partner.example\n');
  await choose(path);
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByRole('table').waitFor();
  writeFileSync(path, 'name,email\nAna,ana@partner.example\n');
  await choose(path);
  await expect.poll(() => page.getByRole('textbox').inputValue()).toContain('ana@partner.example');
});

test('shows a logo that the user has removed and then chosen again', async () => {
  const path = join(folder, 'logo.png');
  writeFileSync(path, Buffer.from(PIXEL, 'base64'));
  await page.goto(`/app/p/${site.empty}/page`);
  await settle(page);
  await choose(path);
  await page.getByRole('button', { name: 'Remove the logo' }).click();
  await expect.poll(() => page.getByRole('img', { name: 'The current logo' }).count()).toBe(0);
  await choose(path);
  await page.getByRole('img', { name: 'The current logo' }).waitFor();
});
