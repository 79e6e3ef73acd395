import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runServer } from './server-process.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
});
afterAll(() => browser?.close());

test.each([320, 390, 700, 1280])('fits into a width of %d px without breaking names', async (width) => {
  const port = await runServer().listening;
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
      // Each part of a name between its dots is a separate text node.
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
