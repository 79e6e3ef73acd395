import { describe, expect, it } from 'vitest';
import { sampleCases } from '../../core/test/support/test-depth.ts';
import {
  clickCookies,
  consoleOutput,
  context,
  linkerTag,
  page,
  setCookie,
  setUp,
  site,
  tag,
} from './browser.ts';
import { engineName } from './engines/index.ts';

setUp();

/** Opens a page on the host, with a partner's code. */
async function land(host: string, path = '/'): Promise<void> {
  await page.goto(`${site.at(host)}${path}?aff=ann`);
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
}

/** Records the cookies that pages write. @returns a function that returns the cookies of the current page */
async function watchCookies(): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const written: string[] = [];
    Object.assign(window, { written });
    const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie') ?? {};
    Object.defineProperty(document, 'cookie', {
      get: () => get?.call(document),
      set(text: string) {
        written.push(text);
        set?.call(document, text);
      },
    });
  });
  return () => page.evaluate('written');
}

describe('the domain of the cookie', () => {
  it.each(
    sampleCases(
      [
        ['shop.test', '.shop.test'],
        ['www.shop.test', '.shop.test'],
        ['a.b.www.shop.test', '.shop.test'],
        ['www.shop.co.uk', '.shop.co.uk'],
        ['127.0.0.1', '127.0.0.1'],
        ['localhost', 'localhost'],
      ],
      3,
    ),
  )('on %s is %s', async (host, domain) => {
    await land(host);
    expect(await context.cookies()).toMatchObject([{ value: 'clk_ann', domain }]);
    // Firefox itself logs the rejected test cookie.
    expect(consoleOutput.filter((line) => !line.includes('rejected for invalid domain'))).toEqual([]);
  });

  it('is never a public suffix, and falls back to host-only if the browser rejects the configured one', async () => {
    for (const [host, domain] of [
      ['shop.co.uk', '.shop.co.uk'],
      // A page on a public suffix sets a host-only cookie. WebKitGTK rejects even that.
      ...(engineName === 'webkit' ? [] : [['co.uk', 'co.uk']]),
    ] as const) {
      await land(host);
      expect(await clickCookies()).toContainEqual(expect.objectContaining({ domain }));
    }
    site.pages.set('/refused', tag('data-debug data-cookie-domain="other.test"'));
    await land('www.shop.test', '/refused');
    expect(await clickCookies()).toContainEqual(expect.objectContaining({ domain: 'www.shop.test' }));
    expect(consoleOutput.some((line) => line.includes('cookie host'))).toBe(true);
  });

  it('is still found when the cookie already exists', async () => {
    await land('www.shop.co.uk');
    // For a second visit by the same partner, the server returns the same click id.
    await land('www.shop.co.uk', '/other');
    const [cookie] = await clickCookies();
    await setCookie(
      'service_click_id=clk_ann; Domain=shop.co.uk; Path=/; Max-Age=99',
      site.at('www.shop.co.uk'),
    );
    await page.goto(`${site.at('www.shop.co.uk')}/later`);
    await page.evaluate(() => affkit.ready());
    const renewed = await clickCookies();
    expect(renewed).toMatchObject([{ domain: '.shop.co.uk' }]);
    expect(Math.abs((renewed[0]?.expires ?? 0) - (cookie?.expires ?? 0))).toBeLessThan(60);
  });

  it('is found once per click, by writing the cookie', async () => {
    const written = await watchCookies();
    await land('www.shop.co.uk');
    const domains = async () => (await written()).map((text) => /Domain=([^;]+)/.exec(text)?.[1]);
    // First, an old host-only cookie is deleted. The browser then rejects `co.uk`.
    expect(await domains()).toEqual([undefined, 'co.uk', 'shop.co.uk']);
    await page.goto(`${site.at('www.shop.co.uk')}/later`);
    await page.evaluate(() => affkit.ready());
    expect(await domains()).toEqual([undefined, 'shop.co.uk']);
    // The tracker must not try `co.uk` again. It would read back the existing cookie with the same click id,
    // and conclude that `co.uk` was accepted.
    await land('www.shop.co.uk', '/other');
    expect((await domains()).slice(2)).toEqual([undefined, 'shop.co.uk']);
    expect(await context.cookies()).toMatchObject([{ name: 'service_click_id', domain: '.shop.co.uk' }]);
  });

  it.each(
    sampleCases(
      [
        ['host', 'www.shop.test', 'host'],
        ['www.shop.test', '.www.shop.test', 'www.shop.test'],
      ],
      3,
    ),
  )('is taken from data-cookie-domain, and no other domain is tried: %s', async (asked, domain, tried) => {
    const written = await watchCookies();
    site.pages.set('/asked', tag(`data-cookie-domain="${asked}"`));
    await page.goto(`${site.shop}/asked?aff=ann`);
    await page.evaluate(() => affkit.ready());
    expect(new Set((await written()).flatMap((text) => /Domain=([^;]+)/.exec(text)?.[1] ?? []))).toEqual(
      new Set([tried]),
    );
    expect(await context.cookies()).toContainEqual(
      expect.objectContaining({
        value: 'clk_ann',
        domain: 'www.shop.test' === asked ? domain : 'www.shop.test',
      }),
    );
  });
});

describe('under a strict policy', () => {
  it('the script works with Trusted Types and a policy without exceptions', async () => {
    const policy = [
      "default-src 'none'",
      // Some engines fetch the page's icon.
      "img-src 'self'",
      `script-src ${site.track}`,
      `connect-src ${site.track}`,
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ];
    const linker = 'data-linker="other.test"';
    site.pages.set('/strict', {
      html: `<title>Shop</title>${tag(linker)}${linkerTag()}<a id=to href="${site.otherShop}/to">to</a>`,
      headers: { 'Content-Security-Policy': policy.join('; ') },
    });
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
        console.warn(violatedDirective),
      );
    });
    await page.goto(`${site.shop}/strict?aff=ann`);
    await site.waitForRequests(1);
    await expect.poll(clickCookies).toMatchObject([{ value: 'clk_ann' }]);
    await page.dispatchEvent('#to', 'mousedown');
    expect(await page.getAttribute('#to', 'href')).toContain('_affkit=clk_ann');
    expect(consoleOutput).toEqual([]);
  });
});

describe('URLs that differ from the default', () => {
  it('are read from the tag, including a relative base URL and a custom endpoint path', async () => {
    site.pages.set('/proxied', tag('data-base-url="/api" data-path="/px"'));
    await page.goto(`${site.shop}/proxied?aff=ann`);
    await site.waitForRequests(1);
    expect(site.requests[0]).toMatchObject({ method: 'POST', path: '/api/px/click' });
    expect(`http://${site.requests[0]?.headers.host}`).toBe(site.shop);
  });

  it('work with any file name of the script, even if document.currentScript is null', async () => {
    const script = await (await fetch(`${site.at('127.0.0.1')}/js/affkit.js`)).text();
    site.pages.set('/assets/shop.js', { html: script, headers: { 'Content-Type': 'text/javascript' } });
    for (const kind of ['async', 'type="module"']) {
      site.requests.length = 0;
      site.pages.set('/named', `<script ${kind} src="/assets/shop.js" data-base-url="/t"></script>`);
      await page.goto(`${site.shop}/named?aff=${kind.slice(0, 3)}`);
      await site.waitForRequests(1);
      expect(site.requests[0]).toMatchObject({ path: '/t/api/v1/track/click' });
    }
  });
});
