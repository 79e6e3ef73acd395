import { describe, expect, it } from 'vitest';
import { sampleCases } from '../../core/test/support/test-depth.ts';
import { consoleOutput, page, setCookie, setUp, site, tag, visit } from './browser.ts';

setUp();

describe('elements named as properties', () => {
  it.each(
    sampleCases(
      [
        ['a form named affkit', '<form name=affkit><input name=getClickId><input name=q></form>'],
        ['fields named q', '<form id=affkit><input name=q><input name=q></form>'],
        ['a select named q', '<form id=affkit><select name=q><option>reset</select></form>'],
        ['an object named affkit', '<object id=affkit></object>'],
        ['a frame of another origin named affkit', '<iframe name=affkit src="http://track.test/"></iframe>'],
        [
          'images named as properties',
          ['title', 'referrer', 'prerendering', 'dispatchEvent', 'querySelector'],
        ],
        ['forms named as properties', ['cookie', 'title', 'referrer', 'currentScript', 'addEventListener']],
        [
          'a frame named currentScript',
          '<iframe name=currentScript srcdoc="<a id=noModule></a><a id=dataset></a><a id=src href=http://far.test></a>"></iframe>',
        ],
      ],
      3,
    ),
  )('%s do not stop or redirect the tracker', async (_what, elements) => {
    const html = Array.isArray(elements)
      ? elements.map((name) => `<img name=${name}><form name=${name}></form>`).join('')
      : elements;
    site.pages.set('/page', `<title>Shop</title>${html}${tag()}`);
    expect(await visit('/page?aff=ann')).toBe('clk_ann');
    expect(await page.evaluate(() => affkit.getClickId())).toBe('clk_ann');
    expect(site.requests).toHaveLength(1);
    const [request] = site.requests;
    expect(`http://${request?.headers.host}`).toBe(site.track);
    expect(request?.body).toMatchObject({ page_title: 'Shop', referrer_url: '' });
    expect(consoleOutput).toEqual([]);
  });

  it('do not stop the tracking of routes in a browser without the Navigation API', async () => {
    await page.addInitScript(() => Reflect.deleteProperty(window, 'navigation'));
    site.pages.set('/page', `<nav id=navigation></nav>${tag()}`);
    await visit('/page');
    await page.evaluate(() => history.pushState(null, '', '/next?aff=bob'));
    await site.waitForRequests(1);
    expect(site.requests).toHaveLength(1);
  });
});

describe('an invalid value that another host or script has stored', () => {
  it.each(sampleCases(['<img src=x onerror=alert(1)>', '"clk_1"', 'clk 1', 'clk_1%3Cb%3E', ''], 3))(
    'in the cookie is not accepted as a click id: %s',
    async (value) => {
      await setCookie(`service_click_id=${value}; Domain=shop.test; Path=/`);
      expect(await visit('/')).toBe(null);
      expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
      expect(site.requests).toEqual([]);
    },
  );

  it('in the cookie does not hide the stored click, which replaces the cookie', async () => {
    await visit('/?aff=ann');
    await setCookie('service_click_id=<b>; Domain=shop.test; Path=/');
    expect(await visit('/')).toBe('clk_ann');
    expect(await page.evaluate(() => document.cookie)).toBe('service_click_id=clk_ann');
  });

  it('in localStorage is not accepted as a click id', async () => {
    await visit('/');
    await page.evaluate(() => {
      const click = { click_id: '<img src=x>', at: 1, till: Date.now() + 9e9, own: true };
      localStorage.setItem('affkit1:service_click_id', JSON.stringify({ jobs: [], click }));
    });
    expect(await visit('/')).toBe(null);
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });
});
