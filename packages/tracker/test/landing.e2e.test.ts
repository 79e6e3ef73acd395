import { describe, expect, it } from 'vitest';
import {
  clickCookies,
  consoleOutput,
  context,
  follow,
  landings,
  page,
  setUp,
  site,
  tag,
  visit,
} from './browser.ts';
import { itExcept } from './engines/it-except.ts';
import { tracked } from './site.ts';

setUp();

describe('a landing with a partner code', () => {
  it('sends one click that describes the visit, without a preflight', async () => {
    const url = `${site.shop}/shoes?aff=ann&utm_source=x#top`;
    await follow(url, site.at('blog.test'));
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    expect(site.requests).toHaveLength(1);
    const [request] = site.requests;
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/api/v1/track/click');
    expect(request?.headers['content-type']).toBe('text/plain;charset=UTF-8');
    expect(request?.body).toEqual({
      affiliate_url: url,
      page_url: url,
      page_title: 'Shop',
      referrer_url: `${site.at('blog.test')}/link`,
      screen_resolution: await page.evaluate(() => `${screen.width}x${screen.height}`),
      viewport_size: await page.evaluate(() => `${innerWidth}x${innerHeight}`),
      language: await page.evaluate(() => navigator.language),
      timezone: expect.any(String),
      session_id: expect.stringMatching(/^\d{13}-0\.\d+$/),
      additional_data: { idempotency_key: expect.stringMatching(/^\d{13}-0\.\d+$/) },
    });
    expect(consoleOutput).toEqual([]);
  });

  it('sets a cookie for the whole site that lasts as long as the attribution window', async () => {
    await visit('/?aff=ann');
    const inThirtyDays = Date.now() / 1000 + 30 * 86_400;
    const cookies = await clickCookies();
    expect(cookies).toEqual([
      expect.objectContaining({
        name: 'service_click_id',
        value: 'clk_ann',
        domain: '.shop.test',
        path: '/',
        sameSite: 'Lax',
        secure: false,
        httpOnly: false,
      }),
    ]);
    expect(Math.abs((cookies[0]?.expires ?? 0) - inThirtyDays)).toBeLessThan(120);
    expect((await context.cookies()).length).toBe(1);
  });

  it('is not tracked again after a reload, in a second tab, after going back, or by a second script', async () => {
    site.pages.set('/twice', tag() + tag());
    await visit('/twice?aff=ann');
    await page.reload();
    await page.evaluate(() => affkit.ready());
    await visit('/twice?aff=ann', await context.newPage());
    await visit('/other');
    await page.goBack({ waitUntil: 'commit' });
    await page.evaluate(() => affkit.ready());
    expect(await page.evaluate(() => affkit.trackClick())).toEqual({ sent: false, reason: 'duplicate' });
    expect(site.requests).toHaveLength(1);
  });

  it('keeps its code when a router rewrites the address bar before the script runs', async () => {
    site.pages.set(
      '/routed',
      `<script>history.replaceState({}, '', '/home')</script><script src="${site.track}/js/affkit.js"></script>`,
    );
    expect(await visit('/routed?aff=ann')).toBe('clk_ann');
    expect(site.requests[0]?.body).toMatchObject({
      affiliate_url: `${site.shop}/routed?aff=ann`,
      page_url: `${site.shop}/home`,
    });
  });

  /** Holds back all responses. @returns a function that releases them */
  function holdResponses(): () => void {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    site.respond = async (request) => {
      await held;
      return tracked(request);
    };
    return release;
  }

  it('completes the request after the visitor has left for a page without a tracker', async () => {
    const release = holdResponses();
    const { respond } = site;
    site.respond = async (request) => ({
      ...(await respond(request)),
      // The browser stores this cookie after the page is gone. It proves that the browser received the
      // response.
      headers: { 'Set-Cookie': 'received=1; Domain=shop.test; Path=/; SameSite=Lax' },
    });
    site.pages.set('/left', `${tag('', site.ownTrack)}<script>location = '/gone'</script>`);
    site.pages.set('/gone', '<title>Gone</title>');
    await page.goto(`${site.shop}/left?aff=ann`);
    await page.waitForURL(`${site.shop}/gone`);
    await site.waitForRequests(1);
    release();
    await expect.poll(() => context.cookies()).toMatchObject([{ name: 'received' }]);
    expect(site.requests).toHaveLength(1);
  });

  it('is not sent by another tab while the first tab is sending it', async () => {
    const release = holdResponses();
    await page.goto(`${site.shop}/?aff=ann`);
    await site.waitForRequests(1);
    expect(await visit('/other', await context.newPage())).toBe(null);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    release();
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    expect(site.requests).toHaveLength(1);
  });

  it('is tracked once when the visitor leaves for another page at once', async () => {
    const release = holdResponses();
    await page.goto(`${site.shop}/?aff=ann`);
    await page.goto(`${site.shop}/next`);
    await site.waitForRequests(1);
    release();
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    const keys = site.requests.map(({ body }) => body.additional_data?.idempotency_key);
    expect(new Set(keys).size).toBe(1);
    expect(site.requests.map(({ body }) => body['affiliate_url'])).toEqual(
      keys.map(() => `${site.shop}/?aff=ann`),
    );
    expect(await clickCookies()).toHaveLength(1);
  });

  it('dispatches events on the document', async () => {
    await page.addInitScript(() => {
      const received: unknown[] = [];
      Object.assign(window, { received });
      for (const name of ['affkit:click', 'affkit:ready']) {
        document.addEventListener(name, (event) => received.push([name, (event as CustomEvent).detail]));
      }
    });
    await visit('/?aff=ann');
    expect(await page.evaluate('received')).toEqual([
      ['affkit:click', { clickId: 'clk_ann', partnerCode: 'ann' }],
      ['affkit:ready', { clickId: 'clk_ann' }],
    ]);
  });
});

describe('a page without a partner code', () => {
  it('sends, stores and logs nothing, and resolves a lead with null', async () => {
    expect(await visit('/?utm_source=x&aff=')).toBe(null);
    expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
    expect(site.requests).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
    expect(consoleOutput).toEqual([]);
  });
});

describe('a route of a single-page app', () => {
  const removeNavigationApi = () =>
    page.addInitScript(() => {
      Reflect.deleteProperty(window, 'navigation');
    });

  async function expectVisitPerCode(navigation: 'object' | 'undefined'): Promise<void> {
    await visit('/?aff=ann');
    expect(await page.evaluate('typeof navigation')).toBe(navigation);
    const clickTo = (path: string, method: 'pushState' | 'replaceState') =>
      page.evaluate(
        ([to, by]) =>
          new Promise((resolve) => {
            document.addEventListener('affkit:click', (event) => resolve((event as CustomEvent).detail));
            history[by]({ a: 1 }, '', to);
          }),
        [path, method] as const,
      );
    await page.evaluate(() => history.replaceState({}, '', '/home?aff=ann'));
    await page.evaluate(() => history.pushState({}, '', '/shoes'));
    expect(await clickTo('/shoes?aff=bob', 'pushState')).toEqual({
      clickId: 'clk_bob',
      partnerCode: 'bob',
    });
    await page.goBack();
    await page.goForward();
    expect(await clickTo('/shoes?aff=cid', 'replaceState')).toEqual({
      clickId: 'clk_cid',
      partnerCode: 'cid',
    });
    expect(await page.evaluate(() => history.state)).toEqual({ a: 1 });
    expect(landings()).toEqual(
      ['/?aff=ann', '/shoes?aff=bob', '/shoes?aff=cid'].map((path) => site.shop + path),
    );
    expect(consoleOutput).toEqual([]);
  }

  itExcept('webkit', 'WebKitGTK has no Navigation API.')(
    'is tracked as a visit when it has a new code, in a browser with the Navigation API',
    () => expectVisitPerCode('object'),
  );

  it('is tracked as a visit when it has a new code, in a browser without the Navigation API', async () => {
    await removeNavigationApi();
    await expectVisitPerCode('undefined');
  });

  async function expectVisitAfterBack(): Promise<void> {
    site.pages.set(
      '/routed',
      `<script>for (const to of ['/shoes?aff=bob', '/cart']) history.pushState({}, '', to)</script>${tag()}`,
    );
    await visit('/routed');
    await page.evaluate(() => history.back());
    await site.waitForRequests(1);
    expect(landings()).toEqual([`${site.shop}/shoes?aff=bob`]);
  }

  itExcept('webkit', 'WebKitGTK has no Navigation API.')(
    'is tracked when the visitor goes back to a route from before the script loaded, in a browser with the Navigation API',
    expectVisitAfterBack,
  );

  it('is tracked when the visitor goes back to a route from before the script loaded, in a browser without the Navigation API', async () => {
    await removeNavigationApi();
    await expectVisitAfterBack();
  });
});

describe('the session id', () => {
  const sessionIds = () => site.requests.map(({ body }) => body['session_id']);

  it('is the same on all pages of a tab, and differs in another tab', async () => {
    await visit('/?aff=ann');
    await visit('/pricing?aff=ann');
    await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }));
    await visit('/shoes?aff=ann', await context.newPage());
    const [first, ...others] = sessionIds();
    expect(first).toMatch(/^\d{13}-0\.\d+$/);
    expect(others).toEqual([first, first, expect.stringMatching(/^\d{13}-0\.\d+$/)]);
    expect(others[2]).not.toBe(first);
  });

  it('is renewed after 30 minutes without a page or an event', async () => {
    await page.clock.install({ time: '2026-01-01T12:00:00Z' });
    await visit('/?aff=ann');
    await page.clock.setSystemTime('2026-01-01T12:29:00Z');
    await visit('/pricing');
    await page.clock.setSystemTime('2026-01-01T12:58:00Z');
    await visit('/shoes?aff=ann');
    await page.clock.setSystemTime('2026-01-01T13:29:00Z');
    await visit('/cart?aff=ann');
    const [first, second, third] = sessionIds();
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('is not sent or stored if the browser blocks sessionStorage', async () => {
    await page.addInitScript(() => {
      Object.defineProperty(window, 'sessionStorage', {
        get() {
          throw new DOMException('blocked', 'SecurityError');
        },
      });
    });
    expect(await visit('/?aff=ann')).toBe('clk_ann');
    expect(sessionIds()).toEqual([undefined]);
    expect(consoleOutput).toEqual([]);
  });
});
