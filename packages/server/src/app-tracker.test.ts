import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startApp } from '../test/start-app.ts';
import { prepareTracker } from './tracker-script.ts';

describe('tracker script', () => {
  test('is served cross-origin with a short cache lifetime', async () => {
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

  test('is immutable at its versioned path and has CORS headers for the integrity check', async () => {
    const tracker = prepareTracker('/* tracker */');
    const send = await startApp({ tracker });
    const response = await send(tracker.versionedPath);
    const text = await response.text();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(`sha384-${createHash('sha384').update(text).digest('base64')}`).toBe(tracker.integrity);
    expect((await send('/js/affkit.0123456789abcdef.js')).status).toBe(404);
  });

  test("is served at the operator's path and contains the operator's paths", async () => {
    const built = "fetch('/api/v1/track' + '/click'), find('script[src*=affkit]')";
    const tracker = prepareTracker(built, { script: '/a/shop.js', endpoints: '/a/px' });
    const send = await startApp({ tracker });
    const expected = "fetch('/a/px' + '/click'), find('script[src*='/a/shop']')";
    for (const path of ['/a/shop.js', '/js/affkit.js', tracker.versionedPath])
      expect(await (await send(path)).text()).toBe(expected);
    expect(tracker.versionedPath).toMatch(/^\/a\/shop\.[0-9a-f]{16}\.js$/);
    for (const path of ['/a/px/click', '/api/v1/track/click']) expect((await send(path)).status).toBe(200);
    expect((await send('/a/px/sale')).status).toBe(404);
  });

  test('returns 304 for a matching etag', async () => {
    const send = await startApp();
    const etag = (await send('/js/affkit.js')).headers.get('etag') ?? '';
    const again = await send('/js/affkit.js', { headers: { 'if-none-match': etag, 'cache-control': '' } });
    const headers = ['etag', 'vary', 'content-encoding'].map((name) => again.headers.get(name));
    expect([again.status, await again.text(), ...headers]).toEqual([304, '', etag, 'accept-encoding', null]);
  });

  test('sends the headers of GET for HEAD', async () => {
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
  ])('is compressed only if the client accepts it: %s', async (accepted, encoding) => {
    const { headers } = await (await startApp())('/js/affkit.js', {
      headers: { 'accept-encoding': accepted },
    });
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'accept-encoding']);
  });
});
