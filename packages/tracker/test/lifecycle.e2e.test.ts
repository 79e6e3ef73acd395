import { describe, expect, it } from 'vitest';
import { page, setUp, site, tag, visit } from './browser.ts';
import { wholeChromium } from './engines/chromium.ts';
import { trackedClick } from './site.ts';

// By default, Playwright disables the back/forward cache.
setUp({
  chromium: { executablePath: wholeChromium, ignoreDefaultArgs: ['--disable-back-forward-cache'] },
});

describe('a page in the background', () => {
  it('is tracked at once', async () => {
    await page.addInitScript(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      Object.defineProperty(document, 'hidden', { value: true });
    });
    expect(await visit('/?aff=ann')).toBe('clk_ann');
  });
});

describe('a page from the back/forward cache', () => {
  it('tracks nothing twice and sends queued clicks', async () => {
    // By default, the test site sends `no-store`, which keeps pages out of the back/forward cache.
    site.pages.set('/kept', {
      html: `<title>Shop</title>${tag()}`,
      headers: { 'Cache-Control': 'no-cache' },
    });
    site.pages.set('/elsewhere', '<title>Elsewhere</title>');
    site.respond = () => ({ status: 503, body: {}, headers: { 'Retry-After': '3600' } });
    await visit('/kept?aff=ann');
    await page.evaluate(() => {
      addEventListener('pageshow', ({ persisted }) => {
        document.title = persisted ? 'kept' : 'new';
      });
    });
    await page.goto(`${site.shop}/elsewhere`);
    // Changes the queued click so that it is due now.
    await page.evaluate(() => {
      const [name = ''] = Object.keys(localStorage);
      localStorage.setItem(name, (localStorage.getItem(name) ?? '').replace(/"held":\d+/, '"held":0'));
    });
    site.respond = trackedClick;
    // `goBack` would wait for a load event, which does not occur for a cached page.
    await page.evaluate(() => history.back());
    await site.waitForRequests(2);
    await page.waitForFunction(() => document.title === 'kept');
    await page.waitForFunction(() => affkit.getClickId() === 'clk_ann');
    expect(site.requests).toHaveLength(2);
    expect(site.requests[1]?.body).toEqual(site.requests[0]?.body);
  });
});
