import { describe, expect, it } from 'vitest';
import { clickCookies, context, countKeys, landings, page, sent, setUp, site, tag } from './browser.ts';
import { tracked, unavailable } from './site.ts';

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
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
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
      </script>${tag('', track)}<script>affkit.trackLead({ customer_key: 'user_1' })</script>`,
    );
    site.pages.set('/next', tag('', track));
    await page.goto(`${shop}/left?aff=ann`);
    await page.waitForFunction(() => document.title === 'waiting');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).toContain('user_1');
    expect(site.requests).toEqual([]);

    await page.goto(`${shop}/next`);
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    await expect.poll(() => site.requests.some(({ path }) => path.endsWith('/lead'))).toBe(true);
    expect(new Set(sent().map(String))).toEqual(new Set(['click,', 'lead,clk_ann']));
    expect(countKeys()).toBe(2);
  },
);

it('a visit of a route gets its click id on the next page if the visitor leaves before idle time', async () => {
  site.pages.set('/app', tag());
  await page.goto(`${site.shop}/app`);
  await page.evaluate(() => affkit.ready());
  await page.evaluate("requestIdleCallback = () => { document.title = 'waiting' }, 0");
  await page.evaluate(() => history.pushState({}, '', '/app/shoes?aff=ann'));
  await page.waitForFunction(() => document.title === 'waiting');
  expect(site.requests).toEqual([]);
  // The page that the visitor leaves gets no response that it could store.
  site.respond = (request) => (site.requests.length === 1 ? unavailable : tracked(request));
  await page.goto(`${site.shop}/next`);
  await expect.poll(() => page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(countKeys()).toBe(1);
});

it('a visit uses neither cookies nor storage before idle time', async () => {
  site.pages.set(
    '/waiting',
    `<script>
      requestIdleCallback = () => { document.title = 'waiting' }
      const read = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')
      Object.defineProperty(document, 'cookie', { ...read, get() { used = true; return read.get.call(this) } })
      const storage = localStorage
      Object.defineProperty(window, 'localStorage', { get() { used = true; return storage } })
      used = false
    </script>${tag()}`,
  );
  await page.goto(`${site.shop}/waiting?aff=ann`);
  await page.waitForFunction(() => document.title === 'waiting');
  expect(await page.evaluate('used')).toBe(false);
  expect(site.requests).toEqual([]);
});

it('a lead is sent by a later page if its tab is killed before idle time', async () => {
  site.pages.set(
    '/killed',
    `<script>
      requestIdleCallback = () => { document.title = 'waiting' }
      // A killed tab gets no event.
      const listen = addEventListener
      addEventListener = (name, ...more) => /pagehide|visibility/.test(name) || listen(name, ...more)
    </script>${tag()}<script>affkit.trackLead({ customer_key: 'user_1' })</script>`,
  );
  await page.goto(`${site.shop}/?aff=ann`);
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  await page.goto(`${site.shop}/killed?aff=bob`);
  await page.waitForFunction(() => document.title === 'waiting');
  // For one minute, other pages assume that the killed tab is still sending the lead.
  await page.clock.setFixedTime(Date.now() + 61_000);
  await page.goto(`${site.shop}/next`);
  await expect.poll(() => sent().at(-1)).toEqual(['lead', 'clk_ann']);
  expect(site.requests.map(({ body }) => body['customer_key'])).toEqual([undefined, 'user_1']);
});

describe('without Web Locks, a visit of two tabs', () => {
  const openBusyTabs = async () => {
    const tabs = [page, await context.newPage()] as const;
    for (const tab of tabs) {
      await tab.goto(`${site.shop}/busy?aff=ann`);
      await tab.waitForFunction(() => document.title === 'waiting');
    }
    return tabs;
  };
  const run = async (tab: typeof page) => {
    await tab.evaluate('requestIdleCallback = setTimeout, idleWork()');
    return tab.evaluate(() => affkit.ready());
  };
  const wait = "requestIdleCallback = (work) => { idleWork = work; document.title = 'waiting' }";

  it('is counted once if one tab has stored it before the other has idle time', async () => {
    site.pages.set('/busy', `<script>${wait}</script>${tag()}`);
    const [first, second] = await openBusyTabs();
    expect(await run(first)).toBe('clk_ann');
    // A tab in another process sees the change of the storage a moment later.
    await second.waitForFunction(() => localStorage.length === 1);
    expect(await run(second)).toBe('clk_ann');
    expect(countKeys()).toBe(1);
  });

  it('is counted twice if neither tab can read what the other has stored', async () => {
    const stale = "Object.defineProperty(window, 'localStorage', { value: {} })";
    site.pages.set('/busy', `<script>${wait}; ${stale}</script>${tag()}`);
    const [first, second] = await openBusyTabs();
    expect([await run(first), await run(second)]).toEqual(['clk_ann', 'clk_ann']);
    expect(countKeys()).toBe(2);
  });
});

it('the response to a visit is stored if the visitor leaves before idle time', async () => {
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

it('a visit is counted once even if its tab waits longer than a second for idle time', async () => {
  const html = tag('', site.secureTrack);
  // In the first tab, timeouts of a second or more end immediately, and no idle time comes until the test calls
  // `idleWork`.
  const busy = `<script>
    requestIdleCallback = (work) => { idleWork = work }
    const setTimer = setTimeout
    isBusy = true
    setTimeout = (work, ms) => setTimer(work, isBusy && ms >= 1000 ? 0 : ms)
    // Firefox hides the tab when the test opens the next one. A hidden tab does not wait for idle time.
    const listen = addEventListener
    addEventListener = (name, ...more) => name === 'visibilitychange' || listen(name, ...more)
  </script>`;
  site.pages.set('/secure', busy + html);
  const url = `${site.secureShop}/secure?aff=ann`;
  await page.goto(url);
  await page.waitForFunction(() => 'idleWork' in window);
  site.pages.set('/secure', html);
  const tab = await context.newPage();
  await tab.goto(url);
  const countWaiting = () => tab.evaluate(async () => (await navigator.locks.query()).pending?.length);
  await expect.poll(countWaiting).toBe(1);
  expect(site.requests).toEqual([]);
  await page.evaluate('isBusy = false, requestIdleCallback = setTimer, idleWork()');
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  await tab.evaluate(() => affkit.ready());
  expect(countKeys()).toBe(1);
});

it('visits of two routes that wait for idle time are tracked in order, before a lead', async () => {
  site.pages.set(
    '/busy',
    `<script>idleWork = []; requestIdleCallback = (work) => { idleWork.push(work) }</script>${tag()}`,
  );
  await page.goto(`${site.shop}/busy?aff=ann`);
  await page.evaluate(() => {
    history.pushState({}, '', '/busy?aff=bob');
    affkit.trackLead({ customer_key: 'user_1' });
  });
  await page.waitForFunction(() => (window as unknown as { idleWork: unknown[] }).idleWork.length === 2);
  await page.evaluate('requestIdleCallback = setTimeout, idleWork.map((work) => work()).length');
  await expect.poll(() => sent().at(-1)).toEqual(['lead', 'clk_bob']);
  expect(landings().slice(0, -1)).toEqual(['ann', 'bob'].map((code) => `${site.shop}/busy?aff=${code}`));
  expect(await clickCookies()).toMatchObject([{ value: 'clk_bob' }]);
});

it.each([
  ['the tracker is reset', 'affkit.reset()'],
  ['consent is denied and granted again', "affkit.consent('denied'), affkit.consent('granted')"],
])('a visit and its lead are dropped if %s before idle time', async (_case, call) => {
  site.pages.set('/reset', `<script>requestIdleCallback = (work) => { idleWork = work }</script>${tag()}`);
  await page.goto(`${site.shop}/reset?aff=ann`);
  await page.evaluate("lead = affkit.trackLead({ customer_key: 'user_1' }), 0");
  await page.evaluate(call);
  await page.evaluate('requestIdleCallback = setTimeout, idleWork()');
  expect(await page.evaluate('lead')).toBe(null);
  expect(await page.evaluate(() => affkit.ready())).toBe(null);
  expect(site.requests).toEqual([]);
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  // The dropped visit does not count as tracked. It can still be tracked later.
  expect(await page.evaluate(() => affkit.trackClick())).toMatchObject({ sent: true, clickId: 'clk_ann' });
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
