import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import type { createTracker } from '../src/index.ts';
import { clickCookies, consoleOutput, context, page, readConsole, setUp, site, tag } from './browser.ts';
import { tracked } from './site.ts';

setUp();

const folder = `${import.meta.dirname}/..`;
const run = promisify(execFile);

/**
 * Runs a program with Node in the package folder. There, imports resolve to the built package.
 * @returns the output of the program
 */
async function printedBy(program: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  return stdout.trim();
}

declare global {
  interface Window {
    createTracker?: typeof createTracker;
  }
}

describe('the module on a server', () => {
  it('adds no globals, and its tracker does nothing', async () => {
    const program = `
      const names = Reflect.ownKeys(globalThis).length;
      const { createTracker } = await import('@affkit/tracker');
      const tracker = createTracker({ baseUrl: 'https://track.example.com' });
      const sent = await tracker.trackClick('ann');
      tracker.reset();
      console.log(JSON.stringify([sent, tracker.getClickId(), Reflect.ownKeys(globalThis).length - names]));`;
    expect(JSON.parse(await printedBy(program))).toEqual([{ sent: false, reason: 'no_browser' }, null, 0]);
  });

  it('renders nothing with React', async () => {
    const program = `
      import { createElement as h } from 'react';
      import { renderToString } from 'react-dom/server';
      import { AffkitTracker, useClickId } from '@affkit/tracker/react';
      const Id = () => h('b', null, useClickId() ?? 'none');
      console.log(renderToString(h('main', null, h(AffkitTracker, { baseUrl: '/t' }), h(Id))));`;
    expect(await printedBy(program)).toBe('<main><b>none</b></main>');
  });
});

describe('the module in a page', () => {
  beforeEach(() => {
    site.pages.set('/tracker.mjs', {
      html: readFileSync(`${folder}/dist/index.js`, 'utf8'),
      headers: { 'Content-Type': 'text/javascript' },
    });
    site.pages.set(
      '/app',
      `<script type="module">import { createTracker } from '/tracker.mjs'; window.createTracker = createTracker</script>`,
    );
  });

  /** Opens a page that imports the module. */
  async function open(path: string): Promise<void> {
    await page.goto(site.shop + path);
    await page.waitForFunction(() => window.createTracker);
  }

  it('does nothing before createTracker is called', async () => {
    await page.addInitScript(() => {
      const listeners: string[] = [];
      Object.assign(window, { listeners });
      const { addEventListener } = EventTarget.prototype;
      EventTarget.prototype.addEventListener = function (...args: Parameters<typeof addEventListener>) {
        // Count only listeners of the tracker, because Playwright adds listeners too.
        if (new Error().stack?.includes('tracker.mjs')) listeners.push(args[0]);
        addEventListener.apply(this, args);
      };
    });
    await open('/app?aff=ann');
    expect(await page.evaluate('listeners')).toEqual([]);
    expect(await page.evaluate(() => typeof window.affkit)).toBe('undefined');
    expect(site.requests).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  it('tracks the landing and passes the click to linked sites if the page has made methods read-only', async () => {
    await page.addInitScript(() => {
      Object.defineProperty(HTMLElement.prototype, 'click', { writable: false });
      Object.defineProperty(History.prototype, 'pushState', { writable: false });
    });
    await open('/app?aff=ann');
    await page.evaluate(
      (baseUrl) => void window.createTracker?.({ baseUrl, linker: 'other.test' }),
      site.track,
    );
    await expect.poll(clickCookies).toMatchObject([{ value: 'clk_ann' }]);
    const decorated = page.evaluate(
      (url) => window.createTracker?.({ baseUrl: '' }).decorate(url),
      `${site.otherShop}/`,
    );
    expect(await decorated).toContain('_affkit=clk_ann');
    expect(consoleOutput).toEqual([]);
  });

  it('returns one tracker, which shares its state with the script', async () => {
    await open('/app?aff=ann');
    const results = await page.evaluate(async (baseUrl) => {
      const first = window.createTracker?.({ baseUrl });
      const second = window.createTracker?.({ baseUrl: 'https://elsewhere.test' });
      return [first === second, await second?.ready()];
    }, site.track);
    expect(results).toEqual([true, 'clk_ann']);
    await page.evaluate(
      (src) =>
        new Promise((resolve) => {
          document.head.append(Object.assign(document.createElement('script'), { src, onload: resolve }));
        }),
      `${site.track}/js/affkit.js`,
    );
    expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
    expect(site.requests).toHaveLength(1);
    expect(await clickCookies()).toHaveLength(1);
    expect(consoleOutput).toEqual([]);
  });

  it('passes the click to linked sites without loading another file', async () => {
    site.pages.set(
      '/linked',
      `<a id=to href="${site.otherShop}/to">to</a><script type="module">
        import { createTracker } from '/tracker.mjs';
        const tracker = createTracker({ baseUrl: '${site.track}', linker: 'other.test', debug: true });
        tracker.ready().then((id) => { document.title = String(id) })</script>`,
    );
    await page.goto(`${site.shop}/linked?aff=ann`);
    await page.waitForFunction(() => document.title === 'clk_ann');
    await page.dispatchEvent('#to', 'mousedown');
    expect(await page.getAttribute('#to', 'href')).toContain('_affkit=clk_ann');
    expect((await readConsole()).join()).not.toContain('linker');
  });

  it('resolves ready with the click that the script of the same page is sending', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    site.respond = async (request) => {
      await held;
      return tracked(request);
    };
    site.pages.set(
      '/both',
      `${tag()}<script type="module">import { createTracker } from '/tracker.mjs';
        const tracker = createTracker({ baseUrl: '${site.track}' });
        tracker.ready().then((id) => { document.title = String(id) })</script>`,
    );
    await page.goto(`${site.shop}/both?aff=ann&affkit_debug`);
    // The tracker that does not send the click logs `duplicate`.
    await expect.poll(async () => (await readConsole()).join()).toContain('duplicate');
    release();
    await page.waitForFunction(() => document.title === 'clk_ann');
    expect(site.requests).toHaveLength(1);
  });
});
