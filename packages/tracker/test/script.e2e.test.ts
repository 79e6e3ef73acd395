import { describe, expect, it } from 'vitest';
import { consoleOutput, page, setUp, site, tag, visit } from './browser.ts';

setUp();

describe('the script', () => {
  it('finds its server if it is a module, and if another script has added its tag', async () => {
    site.pages.set('/module', `<script type="module" src="${site.track}/js/affkit.js"></script>`);
    site.pages.set(
      '/added',
      `<script>const tag = document.createElement('script');
        tag.src = '${site.track}/js/affkit.js'; document.head.append(tag);</script>`,
    );
    for (const path of ['/module', '/added']) {
      await page.goto(`${site.shop}${path}?aff=ann`);
      await site.waitForRequests(1);
      expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
      expect(`http://${site.requests[0]?.headers.host}`).toBe(site.track);
      site.requests.length = 0;
    }
  });

  it('finds its server by a relative URL on a page with a foreign base URL', async () => {
    site.pages.set(
      '/based',
      `<base href="${site.otherShop}/"><script src="${site.track}/js/affkit.js" data-base-url="/t"></script>`,
    );
    expect(await visit('/based?aff=ann')).toBe('clk_ann');
    expect(`http://${site.requests[0]?.headers.host}`).toBe(site.shop);
    expect(site.requests[0]?.path).toBe('/t/api/v1/track/click');
  });

  it('finds its tag when an image shadows document.currentScript', async () => {
    site.pages.set('/image', `<img name="currentScript">${tag()}`);
    expect(await visit('/image?aff=ann')).toBe('clk_ann');
    expect(await page.evaluate(() => document.currentScript?.nodeName)).toBe('IMG');
    expect(`http://${site.requests[0]?.headers.host}`).toBe(site.track);
  });

  it('runs the calls that the page queued before it loaded', async () => {
    site.pages.set(
      '/queued',
      `<script>function affkit() { (affkit.q = affkit.q || []).push(arguments) }
        affkit('ready', (id) => { document.title = id }); affkit('nothing')</script>
      <script src="${site.track}/js/affkit.js"></script>`,
    );
    await visit('/queued?aff=ann');
    expect(await page.title()).toBe('clk_ann');
    expect(consoleOutput).toEqual([]);
  });

  it('tracks only on call with data-auto="false"', async () => {
    site.pages.set('/manual', `<script src="${site.track}/js/affkit.js" data-auto="false"></script>`);
    expect(await visit('/manual?aff=ann')).toBe(null);
    expect(site.requests).toEqual([]);
    const outcome = await page.evaluate(() => affkit.trackClick(undefined, { source: 'button' }));
    expect(outcome).toEqual({ sent: true, clickId: 'clk_ann', partnerCode: 'ann' });
    expect(site.requests[0]?.body.additional_data).toMatchObject({ source: 'button' });
  });

  it('throws no error for wrong calls', async () => {
    await visit('/?aff=ann');
    const results = await page.evaluate(async () => [
      await affkit.trackLead(undefined as never),
      await affkit.trackClick('bob', { size: 1n }),
      await affkit.ready(() => {
        throw new Error("the page's own");
      }),
      affkit('unknown' as 'debug'),
    ]);
    expect(results).toEqual([null, { sent: false, reason: 'failed' }, 'clk_ann', undefined]);
    expect(consoleOutput).toEqual([]);
  });

  it('logs its decisions with data-debug', async () => {
    site.pages.set('/debug', `<script src="${site.track}/js/affkit.js" data-debug></script>`);
    await visit('/debug?aff=ann');
    await page.reload();
    await page.evaluate(() => affkit.ready());
    expect(consoleOutput.some((line) => /duplicate/.test(line))).toBe(true);
  });
});
