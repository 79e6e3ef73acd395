import { beforeEach, describe, expect, it } from 'vitest';
import { clickCookies, consoleOutput, page, setUp, site, tag, visit } from './browser.ts';

setUp();

const linker = 'data-linker="shop.test, other.test"';

beforeEach(() => {
  const { otherShop } = site;
  site.pages.set(
    '/from',
    `${tag(linker)}<a id=to href="${otherShop}/to?x=1#part">to</a><a id=own href="/own">own</a>
    <a id=far href="${site.at('far.test')}/to">far</a>
    <form action="${otherShop}/to"><input name=q value=1><button id=get>get</button></form>
    <form action="${otherShop}/to?x=1" method=post><button id=post>post</button></form>`,
  );
  site.pages.set('/to', tag(linker));
});

const clickId = () => page.evaluate(() => affkit.ready());
/** Returns the query of the URL that requested the document. */
const requested = () =>
  page.evaluate(() => new URL(performance.getEntriesByType('navigation')[0]?.name ?? '').search);
const HANDOVER = /^\?(x|q)=1&_affkit=clk_ann\.\d{13}\.\d{13}$/;

describe('a link to another site of the list', () => {
  it('passes the click when it is used, and the target removes it from the address bar', async () => {
    await visit('/from?aff=ann');
    const [before] = await clickCookies();
    expect(await page.getAttribute('#to', 'href')).toBe(`${site.otherShop}/to?x=1#part`);
    await Promise.all([page.waitForURL(/other\.test/), page.click('#to')]);
    expect(await clickId()).toBe('clk_ann');
    expect(await requested()).toMatch(HANDOVER);
    expect(page.url()).toBe(`${site.otherShop}/to?x=1#part`);
    const there = (await clickCookies()).find(({ domain }) => domain === '.other.test');
    expect(there?.value).toBe('clk_ann');
    expect(Math.abs((there?.expires ?? 0) - (before?.expires ?? 0))).toBeLessThan(5);
    await page.reload();
    expect(await clickId()).toBe('clk_ann');
    expect(site.requests).toHaveLength(1);
    expect(consoleOutput).toEqual([]);
  });

  it('passes the click when used by keyboard, and so do GET and POST forms', async () => {
    await visit('/from?aff=ann');
    for (const use of [
      () => page.press('#to', 'Enter'),
      () => page.click('#get'),
      () => page.click('#post'),
    ]) {
      await Promise.all([page.waitForURL(/other\.test/), use()]);
      expect(await clickId()).toBe('clk_ann');
      expect(await requested()).toMatch(HANDOVER);
      await visit('/from');
    }
  });

  it('passes the click when used by touch inside a shadow root', async () => {
    await visit('/from?aff=ann');
    await page.evaluate((href) => {
      document.body.attachShadow({ mode: 'open' }).innerHTML = `<a href="${href}"><b>later</b></a>`;
    }, `${site.otherShop}/to?x=1`);
    await page.dispatchEvent('b', 'touchstart', { bubbles: true, composed: true });
    expect(
      new URL(
        await page.locator('a', { hasText: 'later' }).evaluate((link) => (link as HTMLAnchorElement).href),
      ).search,
    ).toMatch(HANDOVER);
  });

  it('is not changed before it is used', async () => {
    await page.clock.install();
    await visit('/from?aff=ann');
    const hrefs = () => page.evaluate(() => [...document.links].map(({ href }) => href));
    const before = await hrefs();
    await page.clock.runFor(3_600_000);
    await page.evaluate(() => document.body.append(document.createElement('hr')));
    await page.dispatchEvent('#to', 'mouseover');
    await page.clock.runFor(3_600_000);
    expect(await hrefs()).toEqual(before);
    expect(before[0]).toBe(`${site.otherShop}/to?x=1#part`);
  });

  it('is not changed for the same site, for unlisted sites, and without a click', async () => {
    await visit('/from');
    await page.dispatchEvent('#to', 'mousedown', { bubbles: true });
    expect(await page.getAttribute('#to', 'href')).toBe(`${site.otherShop}/to?x=1#part`);
    await visit('/from?aff=ann');
    for (const id of ['#own', '#far']) await page.dispatchEvent(id, 'mousedown');
    expect(await page.getAttribute('#own', 'href')).toBe('/own');
    expect(await page.getAttribute('#far', 'href')).toBe(`${site.at('far.test')}/to`);
    const decorated = await page.evaluate(() =>
      ['/own', 'no url', 'http://far.test/', 'http://pay.other.test/'].map((url) => affkit.decorate(url)),
    );
    expect(decorated.slice(0, 3)).toEqual(['/own', 'no url', 'http://far.test/']);
    expect(decorated[3]).toMatch(/^http:\/\/pay\.other\.test\/\?_affkit=clk_ann\./);
  });
});

describe('a click passed by another site', () => {
  const handover = (at: number, id = 'clk_x') => `_affkit=${id}.${at}.${Date.now() + 86_400_000}`;
  const arrive = async (query: string, referer?: string) => {
    await page.goto(`${site.otherShop}/to?${query}`, referer ? { referer } : {});
    return clickId();
  };

  it('is accepted only from listed sites', async () => {
    expect(await arrive(handover(Date.now()))).toBe(null);
    expect(await arrive(handover(Date.now()), 'http://www.evil.test/')).toBe(null);
    expect(await arrive(handover(Date.now()), `${site.otherShop}/`)).toBe(null);
    expect(await arrive(handover(Date.now()), `${site.shop}/`)).toBe('clk_x');
    expect(page.url()).toBe(`${site.otherShop}/to`);
  });

  it('is accepted for two minutes and only in the valid format', async () => {
    const from = `${site.shop}/`;
    expect(await arrive(handover(Date.now() - 121_000), from)).toBe(null);
    expect(await arrive(handover(Date.now() + 121_000), from)).toBe(null);
    expect(await arrive(handover(Date.now(), 'clk_x;Domain=test'), from)).toBe(null);
    expect(await clickCookies()).toEqual([]);
    expect(await arrive(handover(Date.now() - 110_000), from)).toBe('clk_x');
  });

  it('does not replace a visit with a code', async () => {
    expect(await arrive(`aff=bob&${handover(Date.now())}`, `${site.shop}/`)).toBe('clk_bob');
    await page.reload();
    expect(await clickId()).toBe('clk_bob');
    expect(site.requests).toHaveLength(1);
  });
});
