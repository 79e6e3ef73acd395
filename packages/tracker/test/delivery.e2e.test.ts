import { describe, expect, it } from 'vitest';
import { clickCookies, context, page, setUp, site, visit } from './browser.ts';
import { tracked, trackedClick, unavailable } from './site.ts';

setUp();

describe('a lead', () => {
  it('contains the click id and waits for a pending click', async () => {
    let releaseClick = () => {};
    const held = new Promise<void>((resolve) => {
      releaseClick = resolve;
    });
    site.respond = async (request) => {
      if (request.path.endsWith('/click')) await held;
      return tracked(request);
    };
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
    expect(site.requests.map(({ path, body }) => [path, body['click_id']])).toEqual([
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
