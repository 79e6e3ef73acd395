import { describe, expect, it } from 'vitest';
import {
  clickCookies,
  context,
  countKeys,
  holdClicks,
  page,
  sent,
  setUp,
  site,
  tag,
  visit,
} from './browser.ts';
import { type SiteResponse, tracked, trackedClick, unavailable } from './site.ts';

setUp();

describe('a lead', () => {
  it('contains the click id and waits for a pending click', async () => {
    const releaseClick = holdClicks();
    await page.goto(`${site.shop}/?aff=ann`);
    const isCalled = page.waitForFunction(() => document.title === 'called');
    const called = page.evaluate(() => {
      const result = affkit('trackLead', { customer_key: 'user_1', email: 'a@b.test' });
      document.title = 'called';
      return result;
    });
    await isCalled;
    releaseClick();
    const lead = await called;
    expect(lead).toEqual({ success: true, message: 'Lead tracked successfully', duplicate: false });
    expect(site.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/track/click',
      'POST /api/v1/track/lead',
    ]);
    expect(site.requests[1]?.body).toEqual({
      click_id: 'clk_ann',
      customer_key: 'user_1',
      email: 'a@b.test',
      page_url: `${site.shop}/?aff=ann`,
      session_id: site.requests[0]?.body['session_id'],
      additional_data: { idempotency_key: expect.any(String) },
    });
  });

  /** Waits until the response to the lead has been stored. */
  const settled = () =>
    expect.poll(() => page.evaluate(() => JSON.stringify(affkit.debug()['jobs']))).not.toContain('lead');
  /** Reports a sign-up and does not wait for the response. */
  const reportLead = () =>
    page.evaluate(() => {
      affkit.trackLead({ customer_key: 'user_1' });
    });

  it.each([
    ['a slow server', 'a new visitor', () => new Promise<SiteResponse>(() => {})],
    ['a 503', 'a new visitor', () => unavailable],
    ['a slow server', 'a returning visitor', () => new Promise<SiteResponse>(() => {})],
    ['a 503', 'a returning visitor', () => unavailable],
  ])('is sent once by the next page, after its click: %s, %s', async (_failure, visitor, respond) => {
    if (visitor === 'a returning visitor') await visit('/?aff=ann');
    site.requests.length = 0;
    site.respond = respond;
    await page.goto(`${site.shop}/?aff=bob`);
    await site.waitForRequests(1);
    await reportLead();
    await page.goto('about:blank');
    site.requests.length = 0;
    site.respond = tracked;
    expect(await visit('/next')).toBe('clk_bob');
    await site.waitForRequests(2);
    await settled();
    await visit('/third');
    expect(sent()).toEqual([
      ['click', undefined],
      ['lead', 'clk_bob'],
    ]);
    expect(countKeys()).toBe(2);
  });

  it('is recorded once, whenever the visitor leaves and whatever the server answers', async () => {
    site.pages.set(
      '/signup',
      `${tag()}<script>
        const query = new URLSearchParams(location.search);
        affkit.trackLead({ customer_key: query.get('aff') });
        const leave = () => { location = '/next' };
        if (query.get('after') === 'now') leave(); else setTimeout(leave, query.get('after'));
      </script>`,
    );
    for (const after of ['now', 0, 100]) {
      for (const failure of ['none', 'unavailable', 'hangs']) {
        const code = `${after}-${failure}`;
        const { promise: held, resolve: release } = Promise.withResolvers<void>();
        site.requests.length = 0;
        site.respond = async (request) => {
          const isFirst = site.requests.length === 1;
          if (isFirst && failure === 'hangs') await held;
          return isFirst && failure !== 'none' ? unavailable : tracked(request);
        };
        await page.goto(`${site.shop}/signup?aff=${code}&after=${after}`);
        await page.waitForURL('**/next');
        release();
        await page.evaluate(() => affkit.ready());
        await settled();
        const leads = site.requests.filter(({ path }) => path.endsWith('/lead'));
        const recorded = leads.map(({ body }) => [body['customer_key'], body['click_id']]);
        expect(new Set(recorded.map(String))).toEqual(new Set([`${code},clk_${code}`]));
        expect(countKeys()).toBe(2);
      }
    }
  });

  it('is sent once if its own script leaves the page', async () => {
    site.pages.set(
      '/signup',
      `${tag()}<script>affkit.trackLead({ customer_key: 'user_1' }); location = '/next'</script>`,
    );
    site.respond = (request) =>
      request.path.endsWith('/lead') && site.requests.length < 3 ? unavailable : tracked(request);
    await visit('/?aff=ann');
    await page.goto(`${site.shop}/signup`);
    await page.waitForURL('**/next');
    await expect.poll(() => sent().length).toBeGreaterThan(1);
    await visit('/third');
    expect(countKeys()).toBe(2);
    expect(new Set(sent().map(String))).toEqual(new Set(['click,', 'lead,clk_ann']));
    expect(await page.evaluate(() => affkit.debug()['jobs'])).toMatchObject([{ kind: 'click' }]);
  });

  it('is sent by the next page if the visitor leaves a page before its first idle moment', async () => {
    await visit('/?aff=ann');
    site.respond = () => ({ ...unavailable, headers: { 'Retry-After': '60' } });
    expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
    site.pages.set('/busy', `<script>requestIdleCallback = () => {};</script>${tag()}`);
    await page.clock.setFixedTime(Date.now() + 61_000);
    await page.goto(`${site.shop}/busy`);
    expect(site.requests).toHaveLength(2);
    site.respond = (request) =>
      site.requests.length < 4 ? new Promise<SiteResponse>(() => {}) : tracked(request);
    await visit('/next');
    expect(site.requests).toHaveLength(4);
    expect(await page.evaluate(() => affkit.debug()['jobs'])).toMatchObject([{ kind: 'click' }]);
    expect(countKeys()).toBe(2);
  });

  it('of another tab is sent by the tab whose click it waits for', async () => {
    const releaseClick = holdClicks();
    await page.goto(`${site.shop}/?aff=ann`);
    await site.waitForRequests(1);
    const tab = await context.newPage();
    await visit('/signup', tab);
    expect(await tab.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
    releaseClick();
    await site.waitForRequests(2);
    await page.evaluate(() => affkit.ready());
    await visit('/next', tab);
    expect(sent()).toEqual([
      ['click', undefined],
      ['lead', 'clk_ann'],
    ]);
  });

  it('resolves as a duplicate if the server has already recorded it, and with null if the server rejects it', async () => {
    await visit('/?aff=ann');
    const message = 'Customer status cannot be updated to lead. Current status: lead';
    site.respond = () => ({ status: 400, body: { error: message, code: 'lead_already_recorded' } });
    const again = await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }));
    expect(again).toEqual({ success: true, message, duplicate: true });
    site.respond = () => ({ status: 403, body: { error: 'Origin not allowed', code: 'origin_not_allowed' } });
    expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
    expect(site.requests).toHaveLength(3);
  });

  it('is sent after the queued click, without the email address', async () => {
    site.respond = () => ({ ...unavailable, headers: { 'Retry-After': '3600' } });
    expect(await visit('/?aff=ann')).toBe(null);
    const lead = () => affkit.trackLead({ customer_key: 'user_1', email: 'a@b.test' });
    expect(await page.evaluate(lead)).toBe(null);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a@b.test');
    await page.clock.setFixedTime(Date.now() + 3_601_000);
    site.respond = tracked;
    await visit('/next');
    await expect
      .poll(() => site.requests.map(({ path, body }) => [path, body['click_id']]))
      .toEqual([
        ['/api/v1/track/click', undefined],
        ['/api/v1/track/click', undefined],
        ['/api/v1/track/lead', 'clk_ann'],
      ]);
  });
});

describe('a click that fails', () => {
  it.each([429, 503])('is retried after %i with the same body and key', async (status) => {
    site.respond = (request) =>
      site.requests.length < 2 ? { ...unavailable, status } : trackedClick(request);
    expect(await visit('/?aff=ann')).toBe('clk_ann');
    expect(site.requests).toHaveLength(2);
    expect(site.requests[1]?.body).toEqual(site.requests[0]?.body);
    expect(await page.evaluate(() => affkit.debug()['jobs'])).toMatchObject([
      { url: `${site.shop}/?aff=ann` },
    ]);
  });

  it('is queued after three attempts and sent once by the next page', async () => {
    site.respond = () => ({ status: 500, body: { error: 'Click tracking failed' } });
    expect(await visit('/?aff=ann')).toBe(null);
    expect(site.requests).toHaveLength(3);
    site.respond = trackedClick;
    expect(await visit('/next')).toBe('clk_ann');
    expect(site.requests).toHaveLength(4);
    expect(site.requests[3]?.body).toEqual(site.requests[0]?.body);
    await visit('/third');
    expect(site.requests).toHaveLength(4);
  });

  it('is sent again after the clock of the browser was set back by a year, and replaces the stored click', async () => {
    const now = Date.now();
    await page.clock.setFixedTime(now + 365 * 86_400_000);
    await visit('/?aff=bob');
    await visit('/?aff=ann');
    await page.clock.setFixedTime(now);
    expect(await visit('/?aff=bob')).toBe('clk_bob');
    expect(site.requests).toHaveLength(3);
  });

  it('is sent when the browser is online again', async () => {
    await visit('/');
    await context.setOffline(true);
    expect(await page.evaluate(() => affkit.trackClick('ann'))).toEqual({ sent: false, reason: 'queued' });
    const click = page.evaluate(
      () =>
        new Promise((resolve) => {
          document.addEventListener('affkit:click', (event) => resolve((event as CustomEvent).detail));
        }),
    );
    await context.setOffline(false);
    expect(await click).toEqual({ clickId: 'clk_ann', partnerCode: 'ann' });
    expect(site.requests).toHaveLength(1);
  });

  it('is queued, and does not replace the click of an earlier partner that was queued too, on first_click', async () => {
    site.respond = (request) => {
      const response = trackedClick(request);
      return { ...response, body: { ...response.body, attribution_model: 'first_click' } };
    };
    await visit('/');
    await context.setOffline(true);
    await page.evaluate(async () => [await affkit.trackClick('ann'), await affkit.trackClick('bob')]);
    const bothSent = page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          document.addEventListener('affkit:click', (event) => {
            if ((event as CustomEvent).detail.clickId === 'clk_bob') resolve();
          });
        }),
    );
    await context.setOffline(false);
    await bothSent;
    expect(await page.evaluate(() => affkit.getClickId())).toBe('clk_ann');
    expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
  });

  it('is aborted after ten seconds and retried', async () => {
    await page.addInitScript(() => {
      AbortSignal.timeout = (ms) => {
        document.title += ` ${ms}`;
        return document.title === 'Shop 10000' ? AbortSignal.abort() : new AbortController().signal;
      };
    });
    expect(await visit('/?aff=ann')).toBe('clk_ann');
    expect(await page.title()).toBe('Shop 10000 10000');
    expect(site.requests).toHaveLength(1);
  });

  it('is not retried after a rejection, returns the reason, and keeps an older click', async () => {
    await visit('/?aff=ann');
    site.respond = () => ({
      status: 400,
      body: { error: 'Referral link not found', code: 'referral_link_not_found' },
    });
    expect(await visit('/?aff=nobody')).toBe('clk_ann');
    expect(await page.evaluate(() => affkit.trackClick('nobody'))).toEqual({
      sent: false,
      reason: 'referral_link_not_found',
    });
    expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
    expect(site.requests).toHaveLength(3);
  });
});

describe('a request', () => {
  it('has low priority and no additional headers', async () => {
    await page.addInitScript(() => {
      const { fetch } = window;
      window.fetch = (url, init) => {
        document.title = `${init?.priority} ${Object.keys(init?.headers ?? {}).length}`;
        return fetch(url, init);
      };
    });
    await visit('/?aff=ann');
    expect(await page.title()).toBe('low 0');
  });

  it('is sent without keepalive if it is too large', async () => {
    await visit('/');
    const note = 'x'.repeat(70_000);
    const outcome = await page.evaluate((data) => affkit.trackClick('ann', data), { note });
    expect(outcome).toMatchObject({ sent: true });
    expect(site.requests[0]?.body.additional_data).toMatchObject({ note });
  });
});
