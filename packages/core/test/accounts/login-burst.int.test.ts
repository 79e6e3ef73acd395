import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { logIn } from '../../src/access/login.ts';
import { FAILURE_LIMITS } from '../../src/access/login-limit.ts';
import { isPassword } from '../../src/access/password.ts';
import { createAffkit } from '../../src/create-affkit.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { countStatuses, runConcurrently, SECRET } from '../support/management-world.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { API_CLIENT } from '../support/users.ts';
import { createCaller } from '../support/world.ts';

vi.mock('../../src/access/password.ts', { spy: true });

let connectionString: string;
let processes: ReturnType<typeof createAffkit>[];
beforeEach(async () => {
  connectionString = await createMigratedDatabase(inject('postgresUrl'));
  processes = [0, 1].map(() =>
    createAffkit({ engine: postgresEngine({ connectionString }), secret: SECRET, now: () => 1e12 }),
  );
  for (const affkit of processes) await affkit.migrate();
});
afterEach(async () => {
  for (const affkit of processes) await affkit.close();
  await dropDatabase(connectionString);
});

test('hashes the password in only 10 of 200 concurrent sign-in attempts in two processes', async () => {
  const email = 'owner@shop.test';
  await processes[0]?.ensureFirstOwner({ email, password: 'long enough' });
  const calls = processes.map(createCaller);
  const replies = await runConcurrently(200, async (index) => {
    const call = calls[index % 2];
    if (!call) throw new Error('Unknown process');
    return call('POST', '/api/auth/login', { email, password: 'wrong' });
  });
  expect(countStatuses(replies)).toEqual({ 401: 10, 429: 190 });
  expect(isPassword).toHaveBeenCalledTimes(10);
});

test('hashes only 100 of 600 guesses for one email, each from its own IP address, in two processes', async () => {
  const email = 'owner@shop.test';
  await processes[0]?.ensureFirstOwner({ email, password: 'long enough' });
  vi.mocked(isPassword).mockReset().mockResolvedValue(false);
  // Each round fits into the queues of sign-ins, so only the limit on failures can stop the guesses.
  for (let round = 0; round < 10; round++) {
    await runConcurrently(60, async (index) => {
      const affkit = processes[index % 2];
      if (!affkit) throw new Error('Unknown process');
      const input = { email, password: 'wrong', ip: `192.0.${round}.${index}` };
      return logIn(affkit.runtime, { ...input, client: API_CLIENT }, async () => {});
    });
  }
  expect(isPassword).toHaveBeenCalledTimes(FAILURE_LIMITS.email);
});
