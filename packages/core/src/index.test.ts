import { expect, test } from 'vitest';
import { fetchAdapter } from './adapters/fetch.ts';
import { BodyAlreadyRead, createAffkit, Unavailable } from './index.ts';
import { sqliteEngine } from './storage/sqlite.ts';

test('exports the error classes that an embedding app needs to catch', async () => {
  const affkit = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 'a-secret-of-at-least-32-characters',
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
  await affkit.migrate();
  const request = new Request('http://shop.example/api/auth/login', { method: 'POST', body: '{}' });
  await request.text();
  await expect(fetchAdapter(affkit)(request)).rejects.toBeInstanceOf(BodyAlreadyRead);

  await affkit.close();
  await expect(affkit.ensureFirstOwner({ email: 'you@shop.example' })).rejects.toBeInstanceOf(Unavailable);
});
