import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { setUp, site, tag } from './browser.ts';
import { chromiumOptions, chromiumVisitor, wholeChromium } from './engines/chromium.ts';

setUp();

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

/** Opens a page in Chromium without Playwright, because Playwright disables prerendering. */
async function openWithoutPlaywright(url: string): Promise<void> {
  const profile = await mkdtemp(`${tmpdir()}/affkit-`);
  const child = spawn(
    wholeChromium,
    [
      ...(chromiumOptions.args ?? []),
      '--headless=new',
      '--no-first-run',
      '--disable-gpu',
      `--user-agent=${chromiumVisitor.userAgent}`,
      `--user-data-dir=${profile}`,
      url,
    ],
    { stdio: 'ignore', detached: true },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  stop = async () => {
    // A negative id kills the whole process group.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}

describe('a prerendered page', () => {
  it('is tracked when it becomes visible, not before', async () => {
    const rules = JSON.stringify({ prerender: [{ urls: ['/landing?aff=ann'], eagerness: 'immediate' }] });
    site.pages.set(
      '/start',
      `<script type="speculationrules">${rules}</script>
      <script>fetch('/api/shown').then(() => { location = '/landing?aff=ann' })</script>`,
    );
    site.pages.set(
      '/landing',
      `${tag()}<script>if (document.prerendering) {
      addEventListener('load', () => fetch('/api/prerendered'));
      document.addEventListener('prerenderingchange', () => fetch('/api/activated'));
    }</script>`,
    );
    const { promise: isPrerendered, resolve: show } = Promise.withResolvers<void>();
    const click = site.respond;
    site.respond = async (request) => {
      if (request.path === '/api/shown') await isPrerendered;
      if (request.path.endsWith('/click')) return click(request);
      if (request.path === '/api/prerendered') show();
      return { status: 200, body: {} };
    };
    await openWithoutPlaywright(`${site.shop}/start`);
    await site.waitForRequests(4);
    const paths = site.requests.map(({ path }) => path);
    expect(paths.slice(0, 2).sort()).toEqual(['/api/prerendered', '/api/shown']);
    expect(paths.slice(2).sort()).toEqual(['/api/activated', '/api/v1/track/click']);
    const sent = site.requests.find(({ path }) => path.endsWith('/click'));
    expect(sent?.body['affiliate_url']).toBe(`${site.shop}/landing?aff=ann`);
    expect(sent?.headers['sec-purpose']).toBe(undefined);
  });
});
