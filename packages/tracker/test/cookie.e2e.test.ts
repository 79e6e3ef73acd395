import { describe, expect, it } from 'vitest';
import { clickCookies, context, page, setUp, site, tag, visit } from './bench.ts';
import { trackedClick } from './site.ts';

setUp();

describe('a visit by another partner', () => {
  it('starts anew on last_click, and a second one by the same partner does not', async () => {
    await visit('/?aff=ann');
    expect(await visit('/?aff=bob')).toBe('clk_bob');
    await visit('/shoes?aff=bob');
    expect(site.requests.map(({ body }) => body['existing_click_id'])).toEqual([undefined, undefined, 'clk_bob']);
    expect(await clickCookies()).toMatchObject([{ value: 'clk_bob' }]);
  });

  it('keeps the first partner on first_click', async () => {
    site.respond = (hit) => {
      const answer = trackedClick(hit);
      const firstClick = {
        attribution_model: 'first_click',
        click_id: 'clk_ann',
        attributed_partner_code: 'ann',
      };
      return { ...answer, body: { ...answer.body, ...firstClick } };
    };
    await visit('/?aff=ann');
    const [before] = await clickCookies();
    await page.clock.setFixedTime(Date.now() + 86_400_000);
    expect(await visit('/?aff=bob')).toBe('clk_ann');
    expect(site.requests[1]?.body['existing_click_id']).toBe('clk_ann');
    const [after] = await clickCookies();
    expect(after?.expires).toBeLessThan((before?.expires ?? 0) + 60);
  });
});

describe('the cookie', () => {
  it('is Secure on https', async () => {
    site.pages.set('/secure', tag('', site.secureTrack));
    await page.goto(`${site.secureShop}/secure?aff=ann`);
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    expect(await clickCookies()).toMatchObject([{ secure: true, domain: '.shop.test', sameSite: 'Lax' }]);
  });

  it('takes the domain, the name and the parameter that the tag asks for', async () => {
    site.pages.set(
      '/tag',
      `<script src="${site.track}/js/affkit.js" data-param="ref" data-cookie-name="my_click"
        data-cookie-domain="host" data-global="partners" data-base-url="${site.ownTrack}/"></script>`,
    );
    await page.goto(`${site.shop}/tag?ref=ann`);
    expect(await page.evaluate('partners.ready()')).toBe('clk_ann');
    expect(await page.evaluate('typeof affkit')).toBe('undefined');
    expect(site.requests[0]?.headers.host).toContain('track.shop.test');
    expect(site.requests[0]?.body['affiliate_url']).toBe(`${site.shop}/tag?ref=ann&aff=ann`);
    expect(await context.cookies()).toMatchObject([{ name: 'my_click', domain: 'www.shop.test' }]);
  });

  it("of an IP address is that host's alone", async () => {
    const { port } = new URL(site.shop);
    await page.goto(`http://127.0.0.1:${port}/?aff=ann`);
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    expect(await context.cookies()).toMatchObject([{ value: 'clk_ann', domain: '127.0.0.1' }]);
  });

  it('replaces a stale one of this host alone', async () => {
    await context.addCookies([{ name: 'service_click_id', value: 'clk_old', url: site.shop }]);
    await visit('/?aff=ann');
    expect(await clickCookies()).toMatchObject([{ value: 'clk_ann', domain: '.shop.test' }]);
  });

  it('that the server set itself is not written again', async () => {
    site.pages.set('/own', `<script src="${site.ownTrack}/js/affkit.js"></script>`);
    site.respond = (hit) => ({
      ...trackedClick(hit),
      headers: {
        'Set-Cookie': 'service_click_id=clk_ann; Domain=shop.test; Path=/; Max-Age=1000; SameSite=Lax',
      },
    });
    await visit('/own?aff=ann');
    await visit('/own');
    const [cookie] = await clickCookies();
    expect(cookie?.value).toBe('clk_ann');
    expect((cookie?.expires ?? 0) - Date.now() / 1000).toBeLessThan(1001);
  });

  it('is renewed on later pages for the time that remains', async () => {
    await visit('/?aff=ann');
    const [first] = await clickCookies();
    await context.addCookies([
      { ...first, name: 'service_click_id', value: 'clk_ann', expires: Date.now() / 1000 + 99 },
    ]);
    // The page's clock alone moves on: the cookie's is the browser's.
    await page.clock.setFixedTime(Date.now() + 10 * 86_400_000);
    await visit('/later');
    const [renewed] = await clickCookies();
    const days = ((renewed?.expires ?? 0) - (first?.expires ?? 0)) / 86_400;
    expect(days).toBeCloseTo(-10, 2);
  });

  it('is kept for 400 days at most, whatever is asked for', async () => {
    site.respond = (hit) => {
      const answer = trackedClick(hit);
      return { ...answer, body: { ...answer.body, cookie_window_days: 999 } };
    };
    await visit('/?aff=ann');
    const [cookie] = await clickCookies();
    expect(((cookie?.expires ?? 0) - Date.now() / 1000) / 86_400).toBeCloseTo(400, 1);
  });

  it('of a sibling host beats what this host stored', async () => {
    await visit('/?aff=ann');
    await context.addCookies([
      { name: 'service_click_id', value: 'clk_new', domain: '.shop.test', path: '/' },
    ]);
    expect(await visit('/later')).toBe('clk_new');
    expect(await clickCookies()).toMatchObject([{ value: 'clk_new' }]);
  });

  it('goes with everything else on reset', async () => {
    await visit('/?aff=ann');
    await page.evaluate(() => affkit.reset());
    expect(await page.evaluate(() => affkit.getClickId())).toBe(null);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    expect(await context.cookies()).toEqual([]);
  });
});
