import { Affkit } from '@affkit/node';
import { createTestAffkit, type TestAffkit } from '@affkit/testing';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { POST as signUp } from './app/api/signup/route.ts';

const msw = setupServer();
let server: TestAffkit;

beforeAll(() => msw.listen({ onUnhandledFrame: 'error' }));
afterAll(() => msw.close());
beforeEach(async () => {
  server = await createTestAffkit({ program: { cookie_window_days: 7 } });
  msw.use(...server.handlers(http));
  vi.stubEnv('AFFKIT_BASE_URL', server.baseUrl);
  vi.stubEnv('AFFKIT_TOKEN', server.token);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  msw.resetHandlers();
  await server.close();
});

test('a sign-up attributes the later sale to the partner', async () => {
  const partner = await server.partner({ code: 'ann' });
  const affkit = new Affkit();
  const headers = { cookie: `service_click_id=${await partner.click()}` };
  const request = new Request('https://shop.test/', { method: 'POST', headers, body: '{"userId":"user-1"}' });
  await signUp(request);

  await affkit.sale({ transaction_id: 'order-1', amount_cents: 10_000, customer_key: 'user-1' });
  expect(await server.commissions()).toMatchObject([{ partner_id: partner.id, amount_cents: 2_000 }]);

  await affkit.refund({ transaction_id: 'order-1' });
  expect(await server.commissions()).toMatchObject([{ status: 'reversed' }]);
});
