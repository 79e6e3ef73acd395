import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  const admit = async () => ({ retryAfterSeconds: 7 });
  world = await makeWorld(sqliteEngine({ path: ':memory:' }), {}, { admit });
});
afterEach(() => world.affkit.close());

test.each(['', 'Bearer nonsense', 'Basic YTpi'])(
  'the credential %j does not bypass the rate limit of public routes',
  async (authorization) => {
    for (const path of ['/api/v1/track/click', '/api/v1/track/lead']) {
      const body = { additional_data: { test_mode: true, program_id: world.program.id } };
      const reply = await world.call('POST', path, body, { authorization, origin: 'https://shop.example' });
      expect(reply).toMatchObject({
        status: 429,
        body: { code: 'rate_limited' },
        headers: { 'retry-after': '7', 'access-control-allow-origin': 'https://shop.example' },
      });
    }
  },
);

test('requests with a tracking token are not rate limited', async () => {
  expect((await world.track('lead', { click_id: 'unknown' })).status).toBe(400);
  expect((await world.track('sale', {})).status).toBe(400);
});
