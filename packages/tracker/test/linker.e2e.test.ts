import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { sampleCases } from '../../core/test/support/test-depth.ts';
import {
  clickCookies,
  consoleOutput,
  follow,
  linkerTag,
  page,
  readConsole,
  setUp,
  site,
  tag,
  visit,
} from './browser.ts';
import { trackedClick } from './site.ts';

setUp();

const linker = 'data-linker="shop.test, other.test"';
/** Returns the tags of the tracker and of the linker, for a site with several domains. */
const tags = () => tag(linker) + linkerTag();

beforeEach(() => {
  const { otherShop } = site;
  site.pages.set(
    '/from',
    `${tags()}<a id=to href="${otherShop}/to?x=1#part">to</a><a id=own href="/own">own</a>
    <a id=far href="${site.at('far.test')}/to">far</a>
    <form action="${otherShop}/to"><input name=q value=1><button id=get>get</button></form>
    <form action="${otherShop}/to?x=1" method=post><button id=post>post</button></form>`,
  );
  site.pages.set('/to', tag(linker));
});

const clickId = () => page.evaluate(() => affkit.ready());
/** Returns the query of the URL with which the document was requested. */
const requested = () =>
  page.evaluate(() => new URL(performance.getEntriesByType('navigation')[0]?.name ?? '').search);
/** The fingerprint of the test browser, as it appears in links. */
let BROWSER = '';
let HANDOVER = /^$/;
beforeEach(async () => {
  BROWSER = await page.evaluate(() => navigator.userAgent.replace(/\D/g, '') + navigator.language);
  HANDOVER = new RegExp(`^\\?(x|q)=1&_affkit=clk_ann\\.\\d{13}\\.\\d{13}\\.last_click\\.${BROWSER}$`);
});

/** A shape that fills an SVG image. */
const shape = '<rect width=999 height=999 />';
const target = () => `${site.otherShop}/to`;

describe('a link to a listed site', () => {
  it('passes the click when it is used, and the target removes it from the address bar', async () => {
    await visit('/from?aff=ann');
    const [before] = await clickCookies();
    expect(await page.getAttribute('#to', 'href')).toBe(`${site.otherShop}/to?x=1#part`);
    await Promise.all([page.waitForURL(/other\.test/), page.click('#to')]);
    expect(await clickId()).toBe('clk_ann');
    expect(await requested()).toMatch(HANDOVER);
    expect(page.url()).toBe(`${site.otherShop}/to?x=1#part`);
    const there = (await clickCookies()).find(({ domain }) => domain === '.other.test');
    expect(there?.value).toBe('clk_ann');
    expect(Math.abs((there?.expires ?? 0) - (before?.expires ?? 0))).toBeLessThan(5);
    await page.reload();
    expect(await clickId()).toBe('clk_ann');
    expect(site.requests).toHaveLength(1);
    expect(consoleOutput).toEqual([]);
  });

  it('passes the click when used by keyboard, and so do GET and POST forms', async () => {
    await visit('/from?aff=ann');
    for (const use of [
      () => page.press('#to', 'Enter'),
      () => page.click('#get'),
      () => page.click('#post'),
    ]) {
      await Promise.all([page.waitForURL(/other\.test/), use()]);
      expect(await clickId()).toBe('clk_ann');
      expect(await requested()).toMatch(HANDOVER);
      await visit('/from');
    }
  });

  it.each(
    sampleCases(
      [
        ['an SVG link', () => `<svg id=use><a href="${target()}?x=1">${shape}</a></svg>`],
        ['an old SVG link', () => `<svg id=use><a xlink:href="${target()}?x=1">${shape}</a></svg>`],
        [
          'a link below a foreign base',
          () => `<base href="${site.otherShop}/"><a id=use href="to?x=1">to</a>`,
        ],
        [
          'a form with fields that hide its properties',
          () => `<form action="${target()}?x=1" method=post><input name=action><input name=method>
        <button id=use>go</button></form>`,
        ],
        [
          'a GET form with fields that hide its properties',
          () =>
            `<form action="${target()}"><input type=hidden name=x value=1><button id=use name=method>go</button></form>`,
        ],
        [
          'a button with its own action',
          () =>
            `<form action="/own" method=post><button id=use formaction="${target()}?x=1">go</button></form>`,
        ],
        [
          'a button with its own action and method',
          () => `<form action="/own" method=post><input type=hidden name=x value=1>
        <button id=use formaction="${target()}" formmethod=get>go</button></form>`,
        ],
      ],
      3,
    ),
  )('passes the click: %s', async (_what, html) => {
    site.pages.set('/uses', tags() + html());
    await visit('/uses?aff=ann');
    await Promise.all([page.waitForURL(/other\.test/), page.click('#use')]);
    expect(await clickId()).toBe('clk_ann');
    expect(await requested()).toMatch(/^\?x=1(&method=)?&_affkit=clk_ann\./);
    expect(consoleOutput).toEqual([]);
  });

  it.each(
    sampleCases(
      [
        ['click() of a link outside the document', 'a', { href: '/to?x=1' }, 'click'],
        ['submit() of a POST form', 'form', { action: '/to?x=1', method: 'post' }, 'submit'],
        ['submit() of a GET form', 'form', { action: '/to' }, 'submit'],
        ['requestSubmit() of a form', 'form', { action: '/to?x=1', method: 'post' }, 'requestSubmit'],
      ],
      3,
    ),
  )('passes the click when a script uses it: %s', async (_what, name, attributes, method) => {
    await visit('/from?aff=ann');
    await page.evaluate(
      ([name, attributes, method, origin]) => {
        const element = Object.assign(document.createElement(name), attributes);
        const url = name === 'a' ? 'href' : 'action';
        element.setAttribute(url, origin + element.getAttribute(url));
        if (name === 'form') {
          if (method === 'submit') element.innerHTML = '<input name=submitted>';
          document.body.append(element);
        }
        Reflect.get(element, method).call(element);
      },
      [name, attributes, method, site.otherShop] as const,
    );
    await page.waitForURL(/other\.test/);
    expect(await clickId()).toBe('clk_ann');
    expect(await requested()).toMatch(/^\?(x=1|submitted=)&_affkit=clk_ann\./);
  });

  it('passes the click in a menu and in a new tab, which open after the button is pressed', async () => {
    await visit('/from?aff=ann');
    await page.dispatchEvent('#to', 'mousedown', { button: 2, bubbles: true });
    expect(await page.getAttribute('#to', 'href')).toContain('?x=1&_affkit=clk_ann.');
  });

  it('leaves fields and images of other hosts unchanged', async () => {
    site.pages.set(
      '/unchanged',
      `${tags()}<a id=link href="${site.otherShop}/to"><svg><image id=image href="${site.otherShop}/x.png" width=9 height=9 /></svg></a>
      <form id=search action="/own"><input name=q><button id=own>go</button></form>`,
    );
    await visit('/unchanged?aff=ann');
    await page.dispatchEvent('#image', 'mousedown', { bubbles: true });
    expect(await page.getAttribute('#link', 'href')).toContain('_affkit');
    expect(await page.getAttribute('#image', 'href')).toBe(`${site.otherShop}/x.png`);
    await page.click('#own');
    await page.waitForURL('**/own**');
    expect(page.url()).toBe(`${site.shop}/own?q=`);
  });

  it('passes the click when used by touch inside a shadow root', async () => {
    await visit('/from?aff=ann');
    const used = await page.evaluate((href) => {
      const shadow = document.body.attachShadow({ mode: 'open' });
      shadow.innerHTML = `<a href="${href}"><b>later</b></a>`;
      const touch = new Event('touchstart', { bubbles: true, composed: true });
      shadow.querySelector('b')?.dispatchEvent(touch);
      return shadow.querySelector('a')?.search;
    }, `${site.otherShop}/to?x=1`);
    expect(used).toMatch(HANDOVER);
  });

  it('is not changed before it is used', async () => {
    await page.addInitScript(() => {
      const timers: (() => void)[] = [];
      const runLater = (run: () => void, ms?: number) =>
        Number(ms) >= 1000 ? timers.push(run) : setNow(run, ms);
      const { setTimeout: setNow } = window;
      Object.assign(window, { setTimeout: runLater, setInterval: runLater, timers });
    });
    const runTimers = () => page.evaluate('timers.splice(0).forEach((run) => run())');
    await visit('/from?aff=ann');
    const hrefs = () => page.evaluate(() => [...document.links].map(({ href }) => href));
    const before = await hrefs();
    await runTimers();
    await page.evaluate(() => document.body.append(document.createElement('hr')));
    await page.dispatchEvent('#to', 'mouseover');
    await runTimers();
    expect(await hrefs()).toEqual(before);
    expect(before[0]).toBe(`${site.otherShop}/to?x=1#part`);
  });

  it('is not changed for the same site, for unlisted sites, and without a click', async () => {
    await visit('/from');
    await page.dispatchEvent('#to', 'mousedown', { bubbles: true });
    expect(await page.getAttribute('#to', 'href')).toBe(`${site.otherShop}/to?x=1#part`);
    await visit('/from?aff=ann');
    for (const id of ['#own', '#far']) await page.dispatchEvent(id, 'mousedown');
    expect(await page.getAttribute('#own', 'href')).toBe('/own');
    expect(await page.getAttribute('#far', 'href')).toBe(`${site.at('far.test')}/to`);
    const decorated = await page.evaluate(() =>
      ['/own', 'no url', 'http://far.test/', 'http://pay.other.test/'].map((url) => affkit.decorate(url)),
    );
    expect(decorated.slice(0, 3)).toEqual(['/own', 'no url', 'http://far.test/']);
    expect(decorated[3]).toMatch(/^http:\/\/pay\.other\.test\/\?_affkit=clk_ann\./);
  });
});

describe('the file of the linker', () => {
  const link = () => `<a id=to href="${target()}">to</a>`;
  /** Uses the link. @returns whether the linker added the click to the link */
  const passes = async () => {
    await page.dispatchEvent('#to', 'mousedown');
    return (await page.getAttribute('#to', 'href'))?.includes('_affkit=clk_ann');
  };
  const linkerLines = async () => (await readConsole()).filter((line) => line.includes('linker'));

  it.each(
    sampleCases(
      [
        ['in front', () => linkerTag() + tag(linker)],
        ['behind', () => tag(linker) + linkerTag()],
        ['in front of a module', () => linkerTag() + tag(`${linker} type=module`)],
        ['deferred, in front of an async script', () => linkerTag('defer') + tag(`${linker} async`)],
        ['twice', () => linkerTag() + tag(linker) + linkerTag()],
      ],
      3,
    ),
  )('works with its tag %s', async (_place, html) => {
    site.pages.set('/tags', html() + link());
    await page.goto(`${site.shop}/tags?aff=ann&affkit_debug`);
    await page.waitForFunction(() => affkit.getClickId() === 'clk_ann');
    expect(await passes()).toBe(true);
    expect(await linkerLines()).toEqual([]);
  });

  it.each([
    ['', '0'],
    ['data-consent=pending', "affkit.consent('granted')"],
  ])(
    'is named in the debugging output if its tag is missing, and nothing fails: %s',
    async (attributes, decide) => {
      site.pages.set('/without', tag(`${linker} data-debug ${attributes}`) + link());
      await page.goto(`${site.shop}/without?aff=ann`);
      await page.evaluate(decide);
      expect(await clickId()).toBe('clk_ann');
      expect(await passes()).toBe(false);
      expect(await page.evaluate((url) => affkit.decorate(url), target())).toBe(target());
      // A tracker that starts after `pageshow` logs the missing linker only when the visitor clicks.
      await page.dispatchEvent('body', 'click');
      expect(await linkerLines()).toContainEqual(expect.stringContaining('add affkit-linker.js'));
      expect(await page.evaluate(() => document.scripts.length)).toBe(1);
    },
  );

  it('passes nothing without a tracker or a list', async () => {
    for (const html of [linkerTag(), linkerTag() + tag()]) {
      site.pages.set('/alone', html + link());
      await page.goto(`${site.shop}/alone?aff=ann`);
      expect(await passes()).toBe(false);
    }
    expect(consoleOutput).toEqual([]);
  });

  it('works under a strict policy that allows only its host, and with integrity attributes', async () => {
    const pin = (file: string) => {
      const digest = createHash('sha384').update(site.scripts.get(file) ?? '');
      return `crossorigin integrity="sha384-${digest.digest('base64')}"`;
    };
    site.pages.set('/strict', {
      html: linkerTag(`defer ${pin('affkit-linker.js')}`) + tag(`${linker} ${pin('affkit.js')}`) + link(),
      headers: {
        'Content-Security-Policy': `default-src 'none'; img-src 'self'; script-src ${site.track}; connect-src ${site.track}; require-trusted-types-for 'script'; trusted-types 'none'`,
      },
    });
    await page.goto(`${site.shop}/strict?aff=ann`);
    await expect.poll(clickCookies).toMatchObject([{ value: 'clk_ann' }]);
    expect(await passes()).toBe(true);
    expect(consoleOutput).toEqual([]);
  });
});

describe('a click passed by another site', () => {
  /** Returns a passed click. Its window ends after those of the clicks on the target site. */
  const handover = (at = Date.now(), id = 'clk_x', model = 'last_click', browser = BROWSER, days = 60) =>
    `_affkit=${id}.${at}.${Date.now() + days * 86_400_000}.${model}.${browser}`;
  const arrive = async (query: string, from?: string, path = '/to') => {
    const url = `${site.otherShop}${path}?${query}`;
    await (from ? follow(url, from) : page.goto(url));
    return clickId();
  };

  it('is accepted only from listed sites', async () => {
    expect(await arrive(handover())).toBe(null);
    for (const host of ['www.evil.test', 'notshop.test', 'shop.test.evil.test'])
      expect(await arrive(handover(), site.at(host))).toBe(null);
    expect(await arrive(handover(), site.otherShop)).toBe(null);
    expect(await arrive(handover(), site.shop)).toBe('clk_x');
    expect(page.url()).toBe(`${site.otherShop}/to`);
  });

  it.each(
    sampleCases(['', 'data-linker', 'data-linker=" , ,"', 'data-linker="."', 'data-linker="https://"'], 3),
  )('is refused from every site without a list: %s', async (attribute) => {
    site.pages.set('/none', tag(attribute) + linkerTag());
    for (const origin of [site.shop, site.at('evil.test.'), site.at('evil.'), undefined])
      expect(await arrive(handover(), origin, '/none')).toBe(null);
    expect(await clickCookies()).toEqual([]);
    expect(await page.evaluate(() => affkit.decorate('http://evil.test./'))).toBe('http://evil.test./');
    expect(await page.evaluate(() => affkit.decorate('mailto:a@b.test'))).toBe('mailto:a@b.test');
  });

  it.each(
    sampleCases(['SHOP.test', 'shop.test:8080', ' ,shop.test.,', 'a.test  shop.test', 'www.Shop.Test'], 3),
  )('is accepted from a site listed as "%s"', async (list) => {
    site.pages.set('/listed', tag(`data-linker="${list}"`));
    expect(await arrive(handover(), site.shop, '/listed')).toBe('clk_x');
  });

  it('is accepted from a site whose name has non-ASCII letters', async () => {
    site.pages.set('/idn', `<meta charset=utf-8>${tag('data-linker="bücher.test"')}`);
    expect(await arrive(handover(), site.at('www.xn--bcher-kva.test'), '/idn')).toBe('clk_x');
  });

  it('is refused without a referrer, for example if the linking site has the policy `no-referrer`', async () => {
    site.pages.set(
      '/silent',
      `<meta name=referrer content=no-referrer>${tags()}<a id=to href="${site.otherShop}/to">to</a>`,
    );
    await visit('/silent?aff=ann');
    await Promise.all([page.waitForURL(/other\.test/), page.click('#to')]);
    expect(await clickId()).toBe(null);
    expect(page.url()).toBe(`${site.otherShop}/to`);
  });

  it('is refused in another browser', async () => {
    for (const browser of ['', '500', BROWSER.replace(/\D+$/, 'de')])
      expect(await arrive(handover(Date.now(), 'clk_x', 'last_click', browser), site.shop)).toBe(null);
    expect(await clickCookies()).toEqual([]);
  });

  it('is accepted for two minutes and only in the valid format', async () => {
    expect(await arrive(handover(Date.now() - 121_000), site.shop)).toBe(null);
    expect(await arrive(handover(Date.now() + 121_000), site.shop)).toBe(null);
    for (const value of ['clk_x;Domain=test', '<img src=x>', '', 'clk x'])
      expect(await arrive(handover(Date.now(), encodeURIComponent(value)), site.shop)).toBe(null);
    for (const value of ['clk_x', 'clk_x..', `clk_x.x.x.last_click.${BROWSER}`, `clk_x.${Date.now()}`])
      expect(await arrive(`_affkit=${value}`, site.shop)).toBe(null);
    expect(await clickCookies()).toEqual([]);
    expect(await arrive(handover(Date.now() - 110_000), site.shop)).toBe('clk_x');
  });

  it('replaces a stored click only if its program is known to use last_click', async () => {
    await arrive('aff=ann');
    expect(await arrive(handover(), site.shop)).toBe('clk_x');
    expect(await arrive(handover(Date.now(), 'clk_y'), site.shop)).toBe('clk_y');
    await page.evaluate(() => localStorage.clear());
    expect(await arrive(handover(), site.shop)).toBe('clk_y');
  });

  it('does not replace a later click', async () => {
    await arrive('aff=ann');
    const earlier = handover(Date.now(), 'clk_x', 'last_click', BROWSER, 20);
    expect(await arrive(earlier, site.shop)).toBe('clk_ann');
  });

  it('never replaces a stored click if the program uses first_click', async () => {
    site.respond = (request) => {
      const response = trackedClick(request);
      return { ...response, body: { ...response.body, attribution_model: 'first_click' } };
    };
    await arrive('aff=ann');
    for (const model of ['last_click', 'first_click'])
      expect(await arrive(handover(Date.now(), 'clk_x', model), site.shop)).toBe('clk_ann');
  });

  it('does not replace a visit with a code', async () => {
    expect(await arrive(`aff=bob&${handover()}`, site.shop)).toBe('clk_bob');
    await page.reload();
    expect(await clickId()).toBe('clk_bob');
    expect(site.requests).toHaveLength(1);
  });
});
