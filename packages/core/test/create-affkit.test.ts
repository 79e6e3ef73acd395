import { afterEach, expect, test, vi } from 'vitest';
import { createAffkit } from '../src/create-affkit.ts';
import { sqliteEngine } from '../src/storage/engine/sqlite.ts';
import { caller, SECRET } from './world.ts';

afterEach(() => vi.restoreAllMocks());

test('without a logger, what fails is told on the console', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: SECRET });
  const reply = await caller(affkit)('POST', '/api/auth/login', { email: 'a@b.example', password: 'x' });
  expect(reply.status).toBe(500);
  const fields = {
    err: expect.any(Error),
    request_id: reply.headers['x-request-id'],
    path: '/api/auth/login',
  };
  expect(told.mock.calls).toEqual([['affkit: request failed', fields]]);
  await affkit.close();
});
