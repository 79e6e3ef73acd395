import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startApp, TRACKER } from '../test/start-app.ts';
import { prepareTracker } from './tracker-script.ts';

describe('tracker script', () => {
  test('the tracker is served cross-origin with a short cache lifetime', async () => {
    const response = await (await startApp())('/js/affkit.js');
    expect(await response.text()).toBe('/* tracker */');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    ['script', '/js/affkit', '/* tracker */'],
    ['linker', '/js/affkit-linker', '/* linker */'],
  ] as const)(
    'the %s is immutable at its versioned path and has CORS headers for the integrity check',
    async (file, stem, source) => {
      const tracker = prepareTracker(TRACKER);
      const { path, integrity } = tracker[file];
      const send = await startApp({ tracker });
      const [latest, versioned] = [await send(`${stem}.js`), await send(path)];
      expect([await latest.text(), await versioned.text()]).toEqual([source, source]);
      expect(latest.headers.get('cache-control')).toBe('public, max-age=300');
      expect(Object.fromEntries(versioned.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        'cross-origin-resource-policy': 'cross-origin',
      });
      expect(`sha384-${createHash('sha384').update(source).digest('base64')}`).toBe(integrity);
      expect((await send(`${stem}.0123456789abcdef.js`)).status).toBe(404);
    },
  );

  test("the tracker is served at the operator's path, and its source contains the operator's paths", async () => {
    const script = "fetch('/api/v1/track' + '/click'), find('script[src*=affkit]:not([src*=-linker])')";
    const linker = '/* linker */';
    const tracker = prepareTracker({ script, linker }, { script: '/a/shop.js', endpoints: '/a/px' });
    const send = await startApp({ tracker });
    const expected = "fetch('/a/px' + '/click'), find('script[src*='/a/shop']:not([src*=-linker])')";
    for (const path of ['/a/shop.js', '/js/affkit.js', tracker.script.path])
      expect(await (await send(path)).text()).toBe(expected);
    for (const path of ['/a/shop-linker.js', '/js/affkit-linker.js', tracker.linker.path])
      expect(await (await send(path)).text()).toBe(linker);
    expect(tracker.script.path).toMatch(/^\/a\/shop\.[0-9a-f]{16}\.js$/);
    expect(tracker.linker.path).toMatch(/^\/a\/shop-linker\.[0-9a-f]{16}\.js$/);
    for (const path of ['/a/px/click', '/api/v1/track/click']) expect((await send(path)).status).toBe(200);
    expect((await send('/a/px/sale')).status).toBe(404);
  });

  test('the tracker can be served at a path below the path of the dashboard', async () => {
    const tracker = prepareTracker(TRACKER, { script: '/app/shop.js' });
    const send = await startApp({ tracker, dashboard: (_request, response) => void response.send('page') });
    for (const path of ['/app/shop.js', tracker.script.path])
      expect(await (await send(path)).text()).toBe(TRACKER.script);
    expect(await (await send('/app/settings')).text()).toBe('page');
  });

  test.each([
    ['/app/px/click', 'POST'],
    ['/app/px/click', 'OPTIONS'],
    ['/app/px/click?a=1', 'POST'],
  ])('a tracking path below the path of the dashboard reaches core: %s %s', async (path, method) => {
    const tracker = prepareTracker(TRACKER, { endpoints: '/app/px' });
    const send = await startApp({ tracker, dashboard: (_request, response) => void response.send('page') });
    expect(await (await send(path, { method })).json()).toMatchObject({ ip: '127.0.0.1' });
  });

  test('returns 304 for a matching etag', async () => {
    const send = await startApp();
    const etag = (await send('/js/affkit.js')).headers.get('etag') ?? '';
    const again = await send('/js/affkit.js', { headers: { 'if-none-match': etag, 'cache-control': '' } });
    const headers = ['etag', 'vary', 'content-encoding'].map((name) => again.headers.get(name));
    expect([again.status, await again.text(), ...headers]).toEqual([304, '', etag, 'accept-encoding', null]);
  });

  test('the response to HEAD has the headers of the response to GET', async () => {
    const send = await startApp();
    const init = { headers: { 'accept-encoding': 'identity' } };
    const [get, head] = [
      await send('/js/affkit.js', init),
      await send('/js/affkit.js', { ...init, method: 'HEAD' }),
    ];
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type', 'etag', 'vary', 'cache-control'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  });

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['gzip;q=0', null],
    ['identity', null],
  ])('the tracker is compressed only if the client accepts it: %s', async (accepted, encoding) => {
    const { headers } = await (await startApp())('/js/affkit.js', {
      headers: { 'accept-encoding': accepted },
    });
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'accept-encoding']);
  });
});
