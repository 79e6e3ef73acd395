import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { rollup } from 'rollup';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { script } from '../rollup.config.ts';
import type { AffkitGlobal } from '../src/index.ts';
import { type Site, startSite, tracked, trackedClick, unavailable } from './site.ts';

declare const affkit: AffkitGlobal;

let code: string;
let browser: Browser;
let site: Site;
let context: BrowserContext;
let page: Page;
const complaints: string[] = [];

const chromiumOptions = {
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP *.test 127.0.0.1'],
};

async function buildScript(): Promise<string> {
  const bundle = await rollup(script);
  const { output } = await bundle.generate(script.output);
  await bundle.close();
  return output[0].code;
}

/** Opens a page of the shop and waits until its tracker is ready. */
async function visit(path: string, on: Page = page): Promise<string | null> {
  await on.goto(site.shop + path);
  return on.evaluate(() => affkit.ready());
}

const clickCookies = async () =>
  (await context.cookies()).filter(({ name }) => name.startsWith('service_click_id'));

beforeAll(async () => {
  code = await buildScript();
  site = await startSite(code);
  browser = await chromium.launch(chromiumOptions);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

beforeEach(async () => {
  site.reset();
  complaints.length = 0;
  context = await browser.newContext();
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => complaints.push(message.text()));
  page = await context.newPage();
});

afterEach(() => context.close());

describe('a landing with a partner code', { timeout: 30_000 }, () => {
  it('is one click with the visit in its body, without a preflight', async () => {
    const url = `${site.shop}/shoes?aff=ann&utm_source=x#top`;
    await page.goto(url, { referer: 'https://blog.example/review' });
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    expect(site.hits).toHaveLength(1);
    const [hit] = site.hits;
    expect(hit?.method).toBe('POST');
    expect(hit?.path).toBe('/api/v1/track/click');
    expect(hit?.headers['content-type']).toBe('text/plain;charset=UTF-8');
    expect(hit?.body).toEqual({
      affiliate_url: url,
      page_url: url,
      page_title: 'Shop',
      referrer_url: 'https://blog.example/review',
      screen_resolution: '1280x720',
      viewport_size: '1280x720',
      language: 'en-US',
      timezone: expect.any(String),
      additional_data: { idempotency_key: expect.stringMatching(/^\d+(-\d+){3}$/) },
    });
    expect(complaints).toEqual([]);
  });

  it('leaves a cookie of the whole site for the days of the program', async () => {
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

  it('is not counted again by a reload, a second tab, going back, or the script twice', async () => {
    const tag = `<script src="${site.track}/js/affkit.js"></script>`;
    site.pages.set('/twice', tag + tag);
    await visit('/twice?aff=ann');
    await page.reload();
    await page.evaluate(() => affkit.ready());
    await visit('/twice?aff=ann', await context.newPage());
    await visit('/other');
    await page.goBack({ waitUntil: 'commit' });
    await page.evaluate(() => affkit.ready());
    expect(await page.evaluate(() => affkit.trackClick())).toEqual({ sent: false, reason: 'duplicate' });
    expect(site.hits).toHaveLength(1);
  });

  it('keeps its code when a router rewrites the address bar before the script runs', async () => {
    site.pages.set(
      '/routed',
      `<script>history.replaceState({}, '', '/home')</script><script src="${site.track}/js/affkit.js"></script>`,
    );
    expect(await visit('/routed?aff=ann')).toBe('clk_ann');
    expect(site.hits[0]?.body).toMatchObject({
      affiliate_url: `${site.shop}/routed?aff=ann`,
      page_url: `${site.shop}/home`,
    });
  });

  /** Holds the answers back until `release` is called. */
  function holdAnswers(): () => void {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    site.answer = async (hit) => {
      await held;
      return tracked(hit);
    };
    return release;
  }

  it('outlives its page, which is left at once for one without a tracker', async () => {
    const release = holdAnswers();
    site.pages.set(
      '/left',
      `<script src="${site.track}/js/affkit.js"></script><script>location = '/gone'</script>`,
    );
    site.pages.set('/gone', '<title>Gone</title>');
    await page.goto(`${site.shop}/left?aff=ann`);
    await page.waitForURL(`${site.shop}/gone`);
    await site.untilHits(1);
    release();
    expect(await site.hits[0]?.isHeard).toBe(true);
    expect(site.hits).toHaveLength(1);
  });

  it('is known to the next page although its own was left at once', async () => {
    const release = holdAnswers();
    await page.goto(`${site.shop}/?aff=ann`);
    await page.goto(`${site.shop}/next`);
    await site.untilHits(1);
    release();
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    const keys = site.hits.map(({ body }) => body.additional_data?.idempotency_key);
    expect(new Set(keys).size).toBe(1);
    expect(site.hits.map(({ body }) => body['affiliate_url'])).toEqual(
      keys.map(() => `${site.shop}/?aff=ann`),
    );
    expect(await clickCookies()).toHaveLength(1);
  });

  it('is announced by events on the document', async () => {
    await page.addInitScript(() => {
      const heard: unknown[] = [];
      Object.assign(window, { heard });
      for (const name of ['affkit:click', 'affkit:ready']) {
        document.addEventListener(name, (event) => heard.push([name, (event as CustomEvent).detail]));
      }
    });
    await visit('/?aff=ann');
    expect(await page.evaluate('heard')).toEqual([
      ['affkit:click', { clickId: 'clk_ann', partnerCode: 'ann' }],
      ['affkit:ready', { clickId: 'clk_ann' }],
    ]);
  });
});

describe('a page without a partner code', { timeout: 30_000 }, () => {
  it('sends, stores and says nothing, and a lead there is null', async () => {
    expect(await visit('/?utm_source=x&aff=')).toBe(null);
    expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
    expect(site.hits).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('a lead', { timeout: 30_000 }, () => {
  it('carries the click id and waits for a click that is under way', async () => {
    await page.goto(`${site.shop}/?aff=ann`);
    const lead = await page.evaluate(() =>
      affkit('trackLead', { customer_key: 'user_1', email: 'a@b.test' }),
    );
    expect(lead).toEqual({ success: true, message: 'Lead tracked successfully', duplicate: false });
    expect(site.hits.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/track/click',
      'POST /api/v1/track/lead',
    ]);
    expect(site.hits[1]?.body).toEqual({
      click_id: 'clk_ann',
      customer_key: 'user_1',
      email: 'a@b.test',
      page_url: `${site.shop}/?aff=ann`,
    });
  });

  it('that the server has already is a success; one that it refuses is null', async () => {
    await visit('/?aff=ann');
    const message = 'Customer status cannot be updated to lead. Current status: lead';
    site.answer = () => ({ status: 400, body: { error: message, code: 'lead_already_recorded' } });
    const again = await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }));
    expect(again).toEqual({ success: true, message, duplicate: true });
    site.answer = () => ({ status: 403, body: { error: 'Origin not allowed', code: 'origin_not_allowed' } });
    expect(await page.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toBe(null);
    expect(site.hits).toHaveLength(3);
  });

  it('made while the click is unanswered goes out with it later, without the e-mail address', async () => {
    site.answer = () => ({ ...unavailable, headers: { 'Retry-After': '3600' } });
    expect(await visit('/?aff=ann')).toBe(null);
    const lead = () => affkit.trackLead({ customer_key: 'user_1', email: 'a@b.test' });
    expect(await page.evaluate(lead)).toBe(null);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a@b.test');
    await page.clock.setFixedTime(Date.now() + 3_601_000);
    site.answer = tracked;
    await visit('/next');
    expect(site.hits.map(({ path, body }) => [path, body['click_id']])).toEqual([
      ['/api/v1/track/click', undefined],
      ['/api/v1/track/click', undefined],
      ['/api/v1/track/lead', 'clk_ann'],
    ]);
  });
});

describe('a click that fails', { timeout: 30_000 }, () => {
  it('with 503 is tried again with the same body and key', async () => {
    site.answer = (hit) => (site.hits.length < 2 ? unavailable : trackedClick(hit));
    expect(await visit('/?aff=ann')).toBe('clk_ann');
    expect(site.hits).toHaveLength(2);
    expect(site.hits[1]?.body).toEqual(site.hits[0]?.body);
    expect(await page.evaluate(() => affkit.debug()['queued'])).toBe(0);
  });

  it('three times waits for the next page, and then is sent once', async () => {
    site.answer = () => ({ status: 500, body: { error: 'Click tracking failed' } });
    expect(await visit('/?aff=ann')).toBe(null);
    expect(site.hits).toHaveLength(3);
    site.answer = trackedClick;
    expect(await visit('/next')).toBe('clk_ann');
    expect(site.hits).toHaveLength(4);
    expect(site.hits[3]?.body).toEqual(site.hits[0]?.body);
    await visit('/third');
    expect(site.hits).toHaveLength(4);
  });

  it('without a network goes out when the browser is online again', async () => {
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
    expect(site.hits).toHaveLength(1);
  });

  it('by a refusal is not repeated, names its reason, and keeps an older click', async () => {
    await visit('/?aff=ann');
    site.answer = () => ({
      status: 400,
      body: { error: 'Referral link not found', code: 'referral_link_not_found' },
    });
    expect(await visit('/?aff=nobody')).toBe('clk_ann');
    expect(await page.evaluate(() => affkit.trackClick('nobody'))).toEqual({
      sent: false,
      reason: 'referral_link_not_found',
    });
    expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
    expect(site.hits).toHaveLength(3);
  });
});

describe('a visit by another partner', { timeout: 30_000 }, () => {
  it('starts anew on last_click, and a second one by the same partner does not', async () => {
    await visit('/?aff=ann');
    expect(await visit('/?aff=bob')).toBe('clk_bob');
    await visit('/shoes?aff=bob');
    expect(site.hits.map(({ body }) => body['existing_click_id'])).toEqual([undefined, undefined, 'clk_bob']);
    expect(await clickCookies()).toMatchObject([{ value: 'clk_bob' }]);
  });

  it('keeps the first partner on first_click', async () => {
    site.answer = (hit) => {
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
    expect(site.hits[1]?.body['existing_click_id']).toBe('clk_ann');
    const [after] = await clickCookies();
    expect(after?.expires).toBeLessThan((before?.expires ?? 0) + 60);
  });
});

describe('a route of a single-page app', { timeout: 30_000 }, () => {
  const landings = () => site.hits.map(({ body }) => body['affiliate_url']);

  it.each(['with the Navigation API', 'without it'])(
    'is a visit when it brings a new code, %s',
    async (how) => {
      if (how === 'without it') {
        await page.addInitScript(() => {
          Reflect.deleteProperty(window, 'navigation');
        });
      }
      await visit('/?aff=ann');
      expect(await page.evaluate('typeof navigation')).toBe(how === 'without it' ? 'undefined' : 'object');
      const clickTo = (path: string) =>
        page.evaluate(
          (to) =>
            new Promise((resolve) => {
              document.addEventListener('affkit:click', (event) => resolve((event as CustomEvent).detail));
              history.pushState({ a: 1 }, '', to);
            }),
          path,
        );
      await page.evaluate(() => history.replaceState({}, '', '/home?aff=ann'));
      await page.evaluate(() => history.pushState({}, '', '/shoes'));
      expect(await clickTo('/shoes?aff=bob')).toEqual({ clickId: 'clk_bob', partnerCode: 'bob' });
      await page.goBack();
      await page.goForward();
      expect(await clickTo('/shoes?aff=cid')).toEqual({ clickId: 'clk_cid', partnerCode: 'cid' });
      expect(await page.evaluate(() => history.state)).toEqual({ a: 1 });
      expect(landings()).toEqual(
        ['/?aff=ann', '/shoes?aff=bob', '/shoes?aff=cid'].map((path) => site.shop + path),
      );
      expect(complaints).toEqual([]);
    },
  );
});

describe('the cookie', { timeout: 30_000 }, () => {
  it('is Secure on https', async () => {
    const cors = {
      'Access-Control-Allow-Origin': 'https://www.shop.test',
      'Access-Control-Allow-Credentials': 'true',
    };
    const answer = { success: true, click_id: 'clk_s', partner_code: 'ann', cookie_window_days: 30 };
    await context.route('https://www.shop.test/**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<script src="https://track.test/js/affkit.js"></script>',
      }),
    );
    await context.route('https://track.test/js/affkit.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: code }),
    );
    await context.route('https://track.test/api/**', (route) =>
      route.fulfill({ headers: cors, json: answer }),
    );
    await page.goto('https://www.shop.test/?aff=ann');
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_s');
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
    expect(site.hits[0]?.headers.host).toContain('track.shop.test');
    expect(site.hits[0]?.body['affiliate_url']).toBe(`${site.shop}/tag?ref=ann&aff=ann`);
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
    site.answer = (hit) => ({
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
    await visit('/later');
    const [renewed] = await clickCookies();
    expect(Math.abs((renewed?.expires ?? 0) - (first?.expires ?? 0))).toBeLessThan(5);
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

describe('the script', { timeout: 30_000 }, () => {
  it('works and stays silent where cookies and storage are blocked', async () => {
    const profile = await mkdtemp(`${tmpdir()}/affkit-`);
    await mkdir(`${profile}/Default`);
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
    await writeFile(`${profile}/Default/Preferences`, JSON.stringify(preferences));
    const blocked = await chromium.launchPersistentContext(profile, chromiumOptions);
    try {
      const errors: string[] = [];
      blocked.on('weberror', (error) => errors.push(String(error.error())));
      const tag = `<script src="${site.track}/js/affkit.js"></script>`;
      site.pages.set('/blocked', tag + tag.replace('src', 'data-global="second" src'));
      const tab = await blocked.newPage();
      expect(await visit('/blocked?aff=ann', tab)).toBe('clk_ann');
      expect(await tab.evaluate(() => document.cookie)).toBe('');
      await expect(tab.evaluate(() => localStorage.length)).rejects.toThrow('Access is denied');
      expect(await tab.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toMatchObject({
        success: true,
      });
      expect(site.hits.map(({ body }) => body['click_id'])).toEqual([undefined, 'clk_ann']);
      expect(errors).toEqual([]);
    } finally {
      await blocked.close();
      await rm(profile, { recursive: true, force: true });
    }
  });

  it('finds its server as a module and when its tag was added by a script', async () => {
    site.pages.set('/module', `<script type="module" src="/js/affkit.js"></script>`);
    site.pages.set(
      '/added',
      `<script>const tag = document.createElement('script');
        tag.src = '${site.track}/js/affkit.js'; document.head.append(tag);</script>`,
    );
    for (const path of ['/module', '/added']) {
      await page.goto(`${site.shop}${path}?aff=ann`);
      await site.untilHits(1);
      expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
      site.hits.length = 0;
    }
  });

  it('runs the calls that were queued before it came', async () => {
    site.pages.set(
      '/queued',
      `<script>function affkit() { (affkit.q = affkit.q || []).push(arguments) }
        affkit('ready', (id) => { document.title = id }); affkit('nothing')</script>
      <script src="${site.track}/js/affkit.js"></script>`,
    );
    await visit('/queued?aff=ann');
    expect(await page.title()).toBe('clk_ann');
    expect(complaints).toEqual([]);
  });

  it('waits for a call with data-auto="false"', async () => {
    site.pages.set('/manual', `<script src="${site.track}/js/affkit.js" data-auto="false"></script>`);
    expect(await visit('/manual?aff=ann')).toBe(null);
    expect(site.hits).toEqual([]);
    const outcome = await page.evaluate(() => affkit.trackClick(undefined, { source: 'button' }));
    expect(outcome).toEqual({ sent: true, clickId: 'clk_ann', partnerCode: 'ann' });
    expect(site.hits[0]?.body.additional_data).toMatchObject({ source: 'button' });
  });

  it('throws nothing back at a page that calls it wrongly', async () => {
    await visit('/?aff=ann');
    const answers = await page.evaluate(async () => [
      await affkit.trackLead(undefined as never),
      await affkit.trackClick('bob', { size: 1n }),
      await affkit.ready(() => {
        throw new Error("the page's own");
      }),
      affkit('unknown' as 'debug'),
    ]);
    expect(answers).toEqual([null, { sent: false, reason: 'failed' }, 'clk_ann', undefined]);
    expect(complaints).toEqual([]);
  });

  it('says what it decided with data-debug', async () => {
    site.pages.set('/debug', `<script src="${site.track}/js/affkit.js" data-debug></script>`);
    await visit('/debug?aff=ann');
    await page.reload();
    await page.evaluate(() => affkit.ready());
    expect(complaints.some((line) => /duplicate/.test(line))).toBe(true);
  });
});
