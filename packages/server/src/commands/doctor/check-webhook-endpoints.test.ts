import type { WebhookEndpointHealth } from '@affkit/core';
import { expect, test } from 'vitest';
import { checkWebhookEndpoints } from './check-webhook-endpoints.ts';

const HEALTHY: WebhookEndpointHealth = {
  id: 3,
  programId: 7,
  url: 'http://127.0.0.1:8080/hook?key=s3cret',
  isPaused: false,
  failures: 0,
  lastFailureAt: null,
};
const check = (endpoint: Partial<WebhookEndpointHealth>, allowed = ['127.0.0.1']) =>
  checkWebhookEndpoints([{ ...HEALTHY, ...endpoint }], allowed);

test('finds no fault if all endpoints work, or if there are none', async () => {
  expect(await check({})).toMatchObject([{ level: 'ok', message: '1 endpoint without a fault.' }]);
  expect(await checkWebhookEndpoints([], [])).toMatchObject([{ level: 'ok' }]);
});

test.each([
  ['a paused endpoint', { isPaused: true, failures: 3 }, 'warning', 'is paused'],
  [
    'a failing endpoint',
    { failures: 6, lastFailureAt: 0 },
    'warning',
    '6 attempts in a row, the last at 1970',
  ],
  ['a private address', { url: 'https://10.0.0.5/hook' }, 'problem', 'is not on the internet'],
  ['a URL that must not use http', { url: 'http://192.0.2.1/hook' }, 'problem', 'must begin with https://'],
  // The name is reserved, so no name server knows it.
  ['a host that does not exist', { url: 'https://nothing.invalid/hook' }, 'problem', 'was not found in DNS'],
])('finds %s', async (_name, endpoint, level, message) => {
  const findings = await check(endpoint);
  expect(findings).toMatchObject([
    { check: 'webhook_endpoints', level, message: expect.stringContaining(message) },
  ]);
  expect(findings[0]?.message).toContain('Endpoint 3 of program 7');
  expect(JSON.stringify(findings)).not.toContain('s3cret');
});
