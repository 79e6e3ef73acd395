import { expect, test } from 'vitest';
import { startApp } from '../test/start-app.ts';

const config = { trustProxy: false, metricsToken: 's3cret' } as const;
const headers = {
  authorization: 'Bearer s3cret',
  'x-forwarded-for': '192.0.2.1, 203.0.113.7',
  'x-forwarded-proto': 'https',
};

test('shows the address and the headers that the server sees, which depend on TRUST_PROXY', async () => {
  const see = async (trustProxy: number | false) => {
    const fetchPath = await startApp({ config: { ...config, trustProxy } });
    const reply = await fetchPath('/diagnostics', { headers });
    expect({ status: reply.status, cache: reply.headers.get('cache-control') }).toEqual({
      status: 200,
      cache: 'no-store',
    });
    return (await reply.json()) as Record<string, unknown>;
  };
  const seen = {
    success: true,
    peer_ip: '127.0.0.1',
    forwarded_for: ['192.0.2.1', '203.0.113.7'],
    host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  };
  expect(await see(false)).toEqual({ ...seen, client_ip: null, secure: false });
  expect(await see(1)).toEqual({ ...seen, client_ip: '203.0.113.7', secure: true });
  expect(await see(2)).toEqual({ ...seen, client_ip: '192.0.2.1', secure: true });
});

test('requires METRICS_TOKEN', async () => {
  const protectedApp = await startApp({ config });
  expect((await protectedApp('/diagnostics')).status).toBe(401);
  const openApp = await startApp({ config: { ...config, metricsToken: undefined } });
  expect((await openApp('/diagnostics', { headers })).status).toBe(403);
});
