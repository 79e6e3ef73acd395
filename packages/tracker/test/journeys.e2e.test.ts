import { expect, it } from 'vitest';
import { clickCookies, consoleOutput, context, landings, page, setUp, site, tag, visit } from './browser.ts';

setUp();

it('a landing is tracked once, whatever the visitor opens next', async () => {
  site.pages.set('/twice', tag() + tag());
  expect(await visit('/twice?aff=ann')).toBe('clk_ann');
  expect(await clickCookies()).toMatchObject([{ value: 'clk_ann', domain: '.shop.test', sameSite: 'Lax' }]);
  await page.reload();
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(await visit('/twice?aff=ann', await context.newPage())).toBe('clk_ann');
  await visit('/other');
  await page.goBack({ waitUntil: 'commit' });
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(landings()).toEqual([`${site.shop}/twice?aff=ann`]);
  expect(consoleOutput).toEqual([]);
});
