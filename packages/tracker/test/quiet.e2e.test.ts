import { describe, expect, it } from 'vitest';
import { consoleOutput, context, linkerTag, page, readConsole, setUp, site, tag, visit } from './browser.ts';

setUp();

/** Records in `used` which timers, observers and unload handlers the page uses. */
const watchPage = () =>
  page.addInitScript(() => {
    const used: string[] = [];
    Object.assign(window, { used });
    const watch = (holder: object, name: string, isNoted: (first: unknown) => boolean) => {
      const note: ProxyHandler<() => unknown> = {
        apply(target, self, args) {
          if (isNoted(args[0])) used.push(`${name} ${args[0]}`);
          return Reflect.apply(target, self, args);
        },
        construct(target, args) {
          used.push(name);
          return Reflect.construct(target, args);
        },
      };
      Object.assign(holder, { [name]: new Proxy(Reflect.get(holder, name), note) });
    };
    // `requestIdleCallback` does not exist in WebKitGTK.
    for (const name of ['setTimeout', 'setInterval', 'requestAnimationFrame', 'requestIdleCallback'])
      if (name in window) watch(window, name, () => true);
    for (const name of ['MutationObserver', 'IntersectionObserver', 'ResizeObserver', 'PerformanceObserver'])
      watch(window, name, () => true);
    watch(EventTarget.prototype, 'addEventListener', (name) => /unload$/.test(String(name)));
  });

describe('a page without work for the tracker', () => {
  it('adds two idle callbacks and one global, but no observer or unload handler', async () => {
    await watchPage();
    site.pages.set(
      '/quiet',
      `<script>names = Object.keys(window)</script>${tag('data-linker="other.test"')}${linkerTag()}
      <script>added = Object.keys(window).filter((name) => !names.includes(name))</script>`,
    );
    expect(await visit('/quiet')).toBe(null);
    const used: string[] = await page.evaluate('used');
    const idle = await page.evaluate(
      "'requestIdleCallback' in window ? 'requestIdleCallback' : 'setTimeout'",
    );
    expect(used.map((name) => name.split(' ')[0])).toEqual([idle, idle]);
    expect(await page.evaluate('added')).toEqual(['names', 'affkit']);
    expect(
      await page.evaluate("Object.keys(window).filter((name) => name.startsWith('on') && window[name])"),
    ).toEqual([]);
    expect(site.requests).toEqual([]);
    expect(consoleOutput).toEqual([]);
  });

  it('adds no unload handler after a click either', async () => {
    await watchPage();
    await visit('/?aff=ann');
    const used: string[] = await page.evaluate('used');
    expect(used.filter((name) => name.includes('unload'))).toEqual([]);
  });
});

describe('the script in a page twice', () => {
  it('starts once and keeps the first tracker', async () => {
    site.pages.set(
      '/twice',
      `<script>ready = 0; document.addEventListener('affkit:ready', () => { ready += 1 })</script>
      ${tag()}<script>first = affkit</script>${tag()}`,
    );
    await visit('/twice');
    expect(await page.evaluate('first === affkit')).toBe(true);
    expect(await page.evaluate('ready')).toBe(1);
  });
});

describe('a page that has broken browser APIs', () => {
  it('gets no error', async () => {
    await page.addInitScript(() => {
      window.fetch = () => {
        throw new Error("the page's own");
      };
      Reflect.deleteProperty(Storage.prototype, 'setItem');
      Object.defineProperty(document, 'cookie', {
        get() {
          throw new Error('SecurityError');
        },
      });
      performance.getEntriesByType = () => [];
    });
    expect(await visit('/?aff=ann')).toBe(null);
    expect(await page.evaluate(() => affkit.decorate('no url'))).toBe('no url');
    expect(consoleOutput).toEqual([]);
    expect(await context.cookies()).toEqual([]);
  });
});

describe('a frame with an opaque origin', () => {
  it('is tracked without cookies and storage, and without errors', async () => {
    site.pages.set(
      '/frame',
      `${tag()}<script>
        const failure = (work) => { try { return work() } catch (error) { return error.name } };
        affkit.ready().then((id) => parent.postMessage(
          [id, failure(() => document.cookie), failure(() => localStorage.length)].join(), '*'))
      </script>`,
    );
    site.pages.set(
      '/sandbox',
      `<script>addEventListener('message', ({ data }) => { document.title = data })</script>
      <iframe sandbox="allow-scripts" src="/frame?aff=ann"></iframe>`,
    );
    await page.goto(`${site.shop}/sandbox`);
    await site.waitForRequests(1);
    await page.waitForFunction(() => document.title !== '');
    expect(await page.title()).toBe('clk_ann,SecurityError,SecurityError');
    expect(consoleOutput).toEqual([]);
  });
});

describe('a frame whose origin the server refuses', () => {
  it('does not send its click again', async () => {
    // The server rejects the origin `null`. The frame cannot read the response.
    site.respond = () => ({
      status: 403,
      body: { error: 'Origin not allowed', code: 'origin_not_allowed' },
      headers: { 'Access-Control-Allow-Origin': site.shop },
    });
    site.pages.set(
      '/frame',
      `${tag()}<script>
        affkit.ready().then(async () => {
          dispatchEvent(new Event('online'));
          const { jobs } = affkit.debug();
          const { sent, reason } = await affkit.trackClick('bob');
          parent.postMessage([jobs.length, sent, reason].join(), '*');
        })
      </script>`,
    );
    site.pages.set(
      '/sandbox',
      `<script>addEventListener('message', ({ data }) => { document.title = data })</script>
      <iframe sandbox="allow-scripts" src="/frame?aff=ann"></iframe>`,
    );
    await page.goto(`${site.shop}/sandbox`);
    await page.waitForFunction(() => document.title !== '');
    expect(await page.title()).toBe('0,false,failed');
    expect(site.requests).toHaveLength(2);
  });
});

describe('debugging', () => {
  // Normalize the lines, because engines print objects differently.
  const lines = async () =>
    (await readConsole()).map((line) => line.replace(/^\[affkit\] (\w+) ([a-z._]+)?.*$/s, '$1 $2'));

  it('logs one line per decision, turned on by an attribute or by the page URL', async () => {
    site.pages.set('/debug', tag('data-debug'));
    for (const path of ['/debug?aff=ann', '/?aff=bob&affkit_debug']) {
      consoleOutput.length = 0;
      await visit(path);
      await page.reload();
      await page.evaluate(() => affkit.ready());
      expect(await lines()).toEqual(['click ', 'cookie shop.test', 'click duplicate', 'cookie shop.test']);
      await page.evaluate(() => affkit.reset());
    }
  });

  it('logs nothing by default, and debug() still returns the state', async () => {
    site.pages.set('/off', tag('data-debug="false"'));
    await visit('/off?aff=ann&affkit_debugger');
    expect(consoleOutput).toEqual([]);
    expect(await page.evaluate(() => affkit.debug())).toMatchObject({
      baseUrl: site.track,
      debug: 'false',
      consent: true,
      clickId: 'clk_ann',
      click: { click_id: 'clk_ann', partner_code: 'ann', host: 'shop.test' },
      jobs: [{ kind: 'click', url: `${site.shop}/off?aff=ann&affkit_debugger` }],
    });
  });
});
