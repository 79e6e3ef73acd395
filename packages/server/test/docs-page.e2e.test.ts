import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

let server: ServerProcess;
let port: number;
let browser: Browser;
beforeAll(async () => {
  server = startServerProcess();
  browser = await chromium.launch({
    executablePath: process.env['HEADLESS_SHELL_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  port = await server.listening;
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  await browser?.close();
});

const WIDTHS = byDepth({ short: [320], long: [320, 390, 700, 1280] });

test.each(WIDTHS)('fits into a width of %d px without breaking names', async (width) => {
  const page = await browser.newPage({ viewport: { width, height: 844 } });
  await page.goto(`http://127.0.0.1:${port}/docs`);
  const { names, broken, pageWidth } = await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    const countLines = (text: Node) => {
      const range = document.createRange();
      range.selectNode(text);
      return range.getClientRects().length;
    };
    const names = [...document.querySelectorAll('td:not(:last-child) code')];
    return {
      names: names.length,
      // Each part of a name between two dots is a separate text node.
      broken: names
        .filter(({ childNodes }) => [...childNodes].some((part) => countLines(part) > 1))
        .map(({ textContent }) => textContent),
      pageWidth: document.documentElement.scrollWidth,
    };
  });
  expect(names).toBeGreaterThan(300);
  expect({ broken, pageWidth }).toEqual({ broken: [], pageWidth: width });
  await page.close();
});

test('on a phone the title is on the first screen, and the routes open from a menu', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`http://127.0.0.1:${port}/docs`);
  const title = await page.locator('h1').boundingBox();
  expect(title?.y).toBeLessThan(300);
  await page.getByText('Routes', { exact: true }).click();
  await page.getByRole('link', { name: 'Record a payment', exact: true }).click();
  await page.locator('#trackSale').getByText('curl', { exact: true }).click();
  await page.locator('#trackSale pre', { hasText: `http://127.0.0.1:${port}/api/v1/track/sale` }).waitFor();
  await page.close();
});

test('opens the route that the fragment of the URL names, and searches routes and fields', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 844 } });
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`http://127.0.0.1:${port}/docs#trackRefund`);
  await page.locator('#trackRefund h4').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('refund_amount_cents');
  const found = page.locator('.operation:not([hidden])');
  await expect.poll(() => found.count()).toBeLessThan(10);
  expect(await found.evaluateAll((all) => all.map(({ id }) => id))).toContain('trackRefund');
  expect(await page.locator('#count').textContent()).toMatch(/^\d routes$/);
  expect(problems).toEqual([]);
  await page.close();
});

test('sections are collapsed until they are opened, and required fields are marked', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 844 } });
  await page.goto(`http://127.0.0.1:${port}/docs`);
  const open = page.locator('.operation[open]');
  const count = await page.locator('.operation').count();
  expect([count > 50, await open.count()]).toEqual([true, 0]);
  const refund = page.locator('#trackRefund');
  await refund.locator('> summary').click();
  expect(await open.evaluateAll((all) => all.map(({ id }) => id))).toEqual(['trackRefund']);
  expect(await refund.locator('details[open]').count()).toBe(0);
  const fields = refund.locator('table').first().locator('td:first-child');
  expect(await fields.filter({ hasText: 'refund_id' }).textContent()).toBe('refund_id');
  expect(await fields.filter({ has: page.locator('.required') }).allTextContents()).toEqual([
    'transaction_id required',
  ]);
  const all = page.getByRole('button', { name: /all$/ });
  await all.click();
  expect(await open.count()).toBe(count);
  await all.click();
  expect(await open.count()).toBe(0);
  await page.close();
});
