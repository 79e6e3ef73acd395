import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clickCookies, complaints, page, setUp, site } from './bench.ts';

setUp();

const guide = readFileSync(`${import.meta.dirname}/../../../docs/guides/tracker.md`, 'utf8');
const examples = [...guide.matchAll(/```html\n([\s\S]*?)```/g)].map(([, html = '']) => html);

it('has examples', () => {
  expect(examples).toHaveLength(6);
});

it.each(examples)('an example of the guide tracks a visit: %s', async (html) => {
  site.pages.set('/guide', html.replaceAll('https://track.example.com', site.track));
  await page.goto(`${site.shop}/guide?aff=ann`);
  await page.waitForFunction(() => 'getClickId' in affkit);
  // The visitor agrees, where the page has asked.
  await page.evaluate(() => {
    document.dispatchEvent(new CustomEvent('consent', { detail: { marketing: true } }));
  });
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(site.hits).toHaveLength(1);
  expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
  expect(complaints).toEqual([]);
});
