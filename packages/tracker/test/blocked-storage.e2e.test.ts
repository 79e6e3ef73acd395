import { expect, it } from 'vitest';
import { consoleOutput, page, setUp, site, tag, visit } from './browser.ts';

setUp({ blocksStorage: true });

it('the script works without errors when cookies and storage are blocked', async () => {
  site.pages.set('/blocked', tag() + tag('data-global="second"'));
  expect(await visit('/blocked?aff=ann')).toBe('clk_ann');
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await expect(page.evaluate(() => localStorage.length)).rejects.toThrow();
  expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toMatchObject({
    success: true,
  });
  expect(site.requests.map(({ body }) => body['click_id'])).toEqual([undefined, 'clk_ann']);
  expect(consoleOutput).toEqual([]);
});
