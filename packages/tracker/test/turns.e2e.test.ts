import { expect, it } from 'vitest';
import { clickCookies, context, countKeys, page, sent, setUp, site, tag } from './browser.ts';
import { tracked } from './site.ts';

setUp();

it('a visit is counted once if tabs open it at the same instant', async () => {
  site.pages.set('/secure', tag('', site.secureTrack));
  const tabs = await Promise.all(Array.from({ length: 4 }, () => context.newPage()));
  const clickIds = () => Promise.all(tabs.map((tab) => tab.evaluate(() => affkit.getClickId())));
  for (const code of ['ann', 'bob']) {
    site.requests.length = 0;
    await Promise.all(
      tabs.map(async (tab) => {
        await tab.goto(`${site.secureShop}/secure?aff=${code}`);
        await tab.evaluate(() => affkit.ready());
      }),
    );
    expect(countKeys()).toBe(1);
    await expect.poll(clickIds).toEqual(tabs.map(() => `clk_${code}`));
  }
});

it.each([
  ['the same page', '?aff=bob'],
  ['another page', ''],
])(
  'a visit keeps its cookie if another tab has read the previous cookie and opens %s',
  async (_page, query) => {
    site.pages.set('/secure', tag('', site.secureTrack));
    const url = `${site.secureShop}/secure`;
    const clickId = (tab = page) => tab.evaluate(() => affkit.ready());
    await page.goto(`${url}?aff=ann`);
    expect(await clickId()).toBe('clk_ann');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    site.respond = async (request) => {
      await held;
      return tracked(request);
    };
    await page.goto(`${url}?aff=bob`);
    await site.waitForRequests(2);

    const tab = await context.newPage();
    // Simulates a browser that stops a tab between reading and writing the cookie.
    await tab.addInitScript(() => {
      const writes: string[] = [];
      const writeLater = { set: (cookie: string) => void writes.push(cookie) };
      const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
      Object.defineProperty(document, 'cookie', { ...cookie, ...writeLater });
      Object.assign(window, { writeCookies: () => writes.map((text) => cookie?.set?.call(document, text)) });
    });
    await tab.goto(url + query);
    if (query === '') expect(await clickId(tab)).toBe('clk_ann');
    release();
    expect(await clickId()).toBe('clk_bob');
    await tab.evaluate('writeCookies()');
    expect(await clickId(tab)).toBe('clk_bob');
    expect(await clickId()).toBe('clk_bob');
  },
);

it('a visit is sent with its lead if the visitor leaves while another tab holds the lock', async () => {
  site.pages.set('/holder', '<title>Holder</title>');
  site.pages.set(
    '/left',
    `${tag('', site.secureTrack)}<script>affkit.trackLead({ customer_key: 'user_1' })</script>`,
  );
  site.pages.set('/next', tag('', site.secureTrack));
  const url = `${site.secureShop}/left?aff=ann`;
  const holder = await context.newPage();
  await holder.goto(`${site.secureShop}/holder`);
  await holder.evaluate(
    (name) =>
      new Promise<void>((resolve) => {
        navigator.locks.request(name, () => {
          resolve();
          return new Promise(() => {});
        });
      }),
    url,
  );
  await page.goto(url);
  expect(site.requests).toEqual([]);
  await page.goto(`${site.secureShop}/next`);
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  await expect.poll(() => site.requests.some(({ path }) => path.endsWith('/lead'))).toBe(true);
  expect(new Set(sent().map(String))).toEqual(new Set(['click,', 'lead,clk_ann']));
  expect(countKeys()).toBe(2);
});

it.each(['http', 'https'])(
  'a visit is tracked with its lead if the visitor leaves before idle time, on %s',
  async (scheme) => {
    const [shop, track] = scheme === 'http' ? [site.shop, site.track] : [site.secureShop, site.secureTrack];
    site.pages.set(
      '/left',
      `<script>
        requestIdleCallback = () => { document.title = 'waiting' }
        const read = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')
        Object.defineProperty(document, 'cookie', { ...read, get() { used = true; return read.get.call(this) } })
        const storage = localStorage
        Object.defineProperty(window, 'localStorage', { get() { used = true; return storage } })
        used = false
      </script>${tag('', track)}<script>affkit.trackLead({ customer_key: 'user_1' })</script>`,
    );
    site.pages.set('/next', tag('', track));
    await page.goto(`${shop}/left?aff=ann`);
    await page.waitForFunction(() => document.title === 'waiting');
    expect(await page.evaluate('used')).toBe(false);
    expect(site.requests).toEqual([]);

    await page.goto(`${shop}/next`);
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    await expect.poll(() => site.requests.some(({ path }) => path.endsWith('/lead'))).toBe(true);
    expect(new Set(sent().map(String))).toEqual(new Set(['click,', 'lead,clk_ann']));
    expect(countKeys()).toBe(2);
  },
);

it('a visit stores its response if the visitor leaves before idle time', async () => {
  site.pages.set(
    '/left',
    `<script>
      requestIdleCallback = (work) => {
        setTimeout(work)
        requestIdleCallback = () => { document.title = 'answered' }
      }
    </script>${tag()}`,
  );
  await page.goto(`${site.shop}/left?aff=ann`);
  await page.waitForFunction(() => document.title === 'answered');
  expect(await clickCookies()).toEqual([]);
  await page.goto(`${site.shop}/next`);
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
  expect(site.requests).toHaveLength(1);
});

it('a visit is not tracked if consent is denied before idle time', async () => {
  site.pages.set('/denied', `<script>requestIdleCallback = (work) => { idleWork = work }</script>${tag()}`);
  await page.goto(`${site.shop}/denied?aff=ann`);
  await page.evaluate(() => affkit.consent('denied'));
  await page.evaluate('idleWork()');
  expect(await page.evaluate(() => affkit.ready())).toBe(null);
  expect(site.requests).toEqual([]);
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
});
