import { describe, expect, it } from 'vitest';
import {
  clickCookies,
  consoleOutput,
  context,
  follow,
  page,
  sent,
  setUp,
  site,
  tag,
  visit,
} from './browser.ts';

setUp();

const countTraces = async () => ({
  hits: site.requests.length,
  cookies: (await context.cookies()).length,
  entries: await page.evaluate(() => localStorage.length + sessionStorage.length),
});
const none = { hits: 0, cookies: 0, entries: 0 };

describe('before consent', () => {
  it('sends and stores nothing, and sends the original landing after consent', async () => {
    site.pages.set('/pending', tag('data-consent="pending"'));
    await follow(`${site.shop}/pending?aff=ann`, site.at('blog.test'));
    const lead = page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }));
    expect(await page.evaluate(() => affkit.getClickId())).toBe(null);
    await page.evaluate(() => history.replaceState({}, '', '/pending/home'));
    expect(await countTraces()).toEqual(none);

    await page.evaluate(() => affkit.consent('granted'));
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    expect(site.requests[0]?.body).toMatchObject({
      affiliate_url: `${site.shop}/pending?aff=ann`,
      referrer_url: `${site.at('blog.test')}/link`,
      session_id: await page.evaluate(() => sessionStorage['affkit1:service_click_id']?.split(',')[0]),
    });
    expect(await lead).toMatchObject({ success: true });
    expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
    expect(consoleOutput).toEqual([]);
  });

  it('queues a visit of a route with a new code until consent', async () => {
    site.pages.set('/pending', tag('data-consent="pending"'));
    await page.goto(`${site.shop}/pending`);
    await page.evaluate(() => history.pushState({}, '', '/shoes?aff=bob'));
    await page.evaluate(() => history.pushState({}, '', '/cart'));
    expect(await countTraces()).toEqual(none);
    await page.evaluate(() => affkit.consent('granted'));
    await site.waitForRequests(1);
    expect(site.requests[0]?.body['affiliate_url']).toBe(`${site.shop}/shoes?aff=bob`);
  });

  it('keeps the visit if the page has queued a call that sets consent to pending', async () => {
    site.pages.set(
      '/queued',
      `<script>function affkit() { (affkit.q = affkit.q || []).push(arguments) }
        affkit('consent', 'pending')</script>${tag()}`,
    );
    await page.goto(`${site.shop}/queued?aff=ann`);
    expect(await countTraces()).toEqual(none);
    await page.evaluate(() => affkit.consent('granted'));
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    expect(site.requests[0]?.body['affiliate_url']).toBe(`${site.shop}/queued?aff=ann`);
  });
});

describe('consent that was set back to pending', () => {
  it('keeps a visit that is waiting for idle time, and its lead', async () => {
    site.pages.set('/busy', `<script>requestIdleCallback = (work) => { idleWork = work }</script>${tag()}`);
    await page.goto(`${site.shop}/busy?aff=ann`);
    await page.waitForFunction(() => 'idleWork' in window);
    await page.evaluate("affkit.consent('pending'), requestIdleCallback = setTimeout, idleWork()");
    const lead = page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }));
    expect(await countTraces()).toEqual(none);
    await page.evaluate(() => affkit.consent('granted'));
    expect(await lead).toMatchObject({ success: true });
    expect(sent()).toEqual([
      ['click', undefined],
      ['lead', 'clk_ann'],
    ]);
  });

  it('keeps a lead and the visit of a route until it is granted', async () => {
    await visit('/');
    await page.evaluate(() => affkit.consent('pending'));
    await page.evaluate(() => history.pushState({}, '', '/shoes?aff=bob'));
    const lead = page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }));
    expect(await countTraces()).toEqual(none);
    await page.evaluate(() => affkit.consent('granted'));
    expect(await lead).toMatchObject({ success: true });
    expect(sent().map(([kind]) => kind)).toEqual(['click', 'lead']);
  });

  it.each([
    ['the browser is online again', "dispatchEvent(new Event('online'))"],
    ['the visitor leaves', "dispatchEvent(new Event('pagehide'))"],
    ['the page calls debug', 'affkit.debug()'],
  ])('prevents access to storage if %s', async (_event, cause) => {
    site.pages.set(
      '/watched',
      `<script>
        const storage = localStorage
        Object.defineProperty(window, 'localStorage', { get() { isUsed = true; return storage } })
        const isUsedBy = (work) => { isUsed = false; work(); return isUsed }
      </script>${tag()}`,
    );
    await visit('/watched?aff=ann');
    expect(await page.evaluate(`isUsedBy(() => ${cause})`)).toBe(true);
    await page.evaluate(() => affkit.consent('pending'));
    expect(await page.evaluate(`isUsedBy(() => ${cause})`)).toBe(false);
  });
});

describe('consent denied', () => {
  it('deletes stored data and never sends the landing, even after a later consent', async () => {
    await visit('/?aff=ann');
    site.requests.length = 0;
    site.pages.set('/denied', tag('data-consent="denied"'));
    expect(await visit('/denied?aff=bob')).toBe(null);
    expect(await countTraces()).toEqual(none);
    await page.evaluate(() => affkit.consent('granted'));
    expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
    expect(await countTraces()).toEqual(none);
    await page.evaluate(() => history.pushState({}, '', '/shoes?aff=cid'));
    await site.waitForRequests(1);
    expect(site.requests[0]?.body['affiliate_url']).toBe(`${site.shop}/shoes?aff=cid`);
  });

  it('ignores the response to a pending click', async () => {
    let respond = () => {};
    site.respond = () =>
      new Promise((resolve) => {
        respond = () => resolve({ status: 200, body: { success: true, click_id: 'clk_late' } });
      });
    await page.goto(`${site.shop}/?aff=ann`);
    await site.waitForRequests(1);
    await page.evaluate(() => affkit.consent('denied'));
    respond();
    expect(await page.evaluate(() => affkit.ready())).toBe(null);
    expect(await countTraces()).toEqual({ ...none, hits: 1 });
  });

  it('is assumed under Global Privacy Control if the tag has data-respect-gpc', async () => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });
    });
    site.pages.set('/gpc', tag('data-respect-gpc'));
    expect(await visit('/gpc?aff=ann')).toBe(null);
    expect(await countTraces()).toEqual(none);
    expect(await visit('/?aff=ann')).toBe('clk_ann');
  });
});
