import { expect, it } from 'vitest';
import {
  clickCookies,
  consoleOutput,
  context,
  countKeys,
  holdClicks,
  landings,
  linkerTag,
  page,
  readConsole,
  sent,
  setUp,
  site,
  tag,
  visit,
} from './browser.ts';
import { tracked, unavailable } from './site.ts';

// These tests cover the most important behavior. Every run executes them in all engines.
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
  expect(site.requests[0]).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
  });
  expect(await readConsole()).toEqual([]);
});

it('a landing that the visitor leaves at once is tracked once', async () => {
  const release = holdClicks();
  await page.goto(`${site.shop}/?aff=ann`);
  await page.goto(`${site.shop}/next`);
  await site.waitForRequests(1);
  release();
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(countKeys()).toBe(1);
  expect(new Set(landings())).toEqual(new Set([`${site.shop}/?aff=ann`]));
});

it('a lead waits for the click', async () => {
  const release = holdClicks();
  await page.goto(`${site.shop}/?aff=ann`);
  await page.evaluate(() => {
    affkit.trackLead({ customer_key: 'user_1' }).then((reply) => {
      document.title = String(reply?.success);
    });
  });
  await site.waitForRequests(1);
  expect(sent()).toEqual([['click', undefined]]);
  release();
  await page.waitForFunction(() => document.title === 'true');
  expect(sent()).toEqual([
    ['click', undefined],
    ['lead', 'clk_ann'],
  ]);
});

it('a click and a lead that the server could not store are sent by a later page', async () => {
  site.respond = () => ({ ...unavailable, headers: { 'Retry-After': '3600' } });
  expect(await visit('/?aff=ann')).toBe(null);
  expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
  await page.clock.setFixedTime(Date.now() + 3_601_000);
  site.requests.length = 0;
  site.respond = tracked;
  await visit('/next');
  await site.waitForRequests(2);
  expect(sent()).toEqual([
    ['click', undefined],
    ['lead', 'clk_ann'],
  ]);
});

it('a visitor leaves no trace before consent, and the original landing is sent after it', async () => {
  site.pages.set('/pending', tag('data-consent="pending"'));
  await page.goto(`${site.shop}/pending?aff=ann`);
  await page.evaluate(() => history.replaceState({}, '', '/pending/home'));
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  expect(await context.cookies()).toEqual([]);
  expect(site.requests).toEqual([]);
  await page.evaluate(() => affkit.consent('granted'));
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(landings()).toEqual([`${site.shop}/pending?aff=ann`]);
  await page.evaluate(() => affkit.consent('denied'));
  expect(await context.cookies()).toEqual([]);
});

it('a route with a new code is tracked, and a link passes the click to another site', async () => {
  const linker = 'data-linker="shop.test, other.test"';
  site.pages.set('/from', `${tag(linker)}${linkerTag()}<a id=to href="${site.otherShop}/to?x=1">to</a>`);
  site.pages.set('/to', tag(linker));
  await visit('/from?aff=ann');
  await page.evaluate(() => history.pushState({}, '', '/from/shoes?aff=bob'));
  await page.waitForFunction(() => affkit.getClickId() === 'clk_bob');
  await Promise.all([page.waitForURL(/other\.test/), page.click('#to')]);
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_bob');
  expect(page.url()).toBe(`${site.otherShop}/to?x=1`);
  expect(await clickCookies()).toContainEqual(expect.objectContaining({ domain: '.other.test' }));
  expect(landings()).toHaveLength(2);
});

it('a strict policy with Trusted Types allows the script', async () => {
  const policy = `default-src 'none'; img-src 'self'; script-src ${site.track}; connect-src ${site.track}; require-trusted-types-for 'script'; trusted-types 'none'`;
  site.pages.set('/strict', { html: tag(), headers: { 'Content-Security-Policy': policy } });
  await page.goto(`${site.shop}/strict?aff=ann`);
  await expect.poll(clickCookies).toMatchObject([{ value: 'clk_ann' }]);
  expect(consoleOutput).toEqual([]);
});
