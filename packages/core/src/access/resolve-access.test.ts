import { expect, test } from 'vitest';
import { createSession } from '../../test/support/users.ts';
import { createAffkit } from '../create-affkit.ts';
import { createApiKey } from '../management/api-keys.ts';
import { isRejection } from '../rejection.ts';
import { findApiKey } from '../storage/accounts/api-keys.ts';
import { sqliteEngine } from '../storage/sqlite.ts';
import { ensureFirstOwner } from './first-owner.ts';
import { resolveAccess } from './resolve-access.ts';

test('accepts a key and logs a warning when its last use cannot be stored', async () => {
  const { runtime, migrate, close } = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 'a-secret-of-at-least-32-characters',
  });
  await migrate();
  await ensureFirstOwner(runtime, { email: 'owner@example.com', password: 'a password' });
  const issued = await createApiKey(runtime, { workspaceId: 1, userId: 1 }, { name: 'key' });
  if (isRejection(issued)) throw new Error(issued.message);

  const failure = new Error('disk full');
  const warnings: unknown[] = [];
  const failing = {
    ...runtime,
    engine: { ...runtime.engine, write: () => Promise.reject(failure) },
    log: { ...runtime.log, warn: (fields: Record<string, unknown>) => void warnings.push(fields) },
  };
  const access = { kind: 'credential', permission: 'api-key:read' } as const;
  const actor = await resolveAccess(failing, access, { authorization: `Bearer ${issued.secret}` }, {});
  expect(actor).toMatchObject({ kind: 'key', keyId: issued.key.id });
  // Loggers serialize an error only in the field `err`. In any other field, an error becomes `{}`.
  expect(warnings).toEqual([{ err: failure, key_id: issued.key.id }]);
  await close();
});

test('stores the last use of a busy key at most once a minute', async () => {
  let now = Date.UTC(2026, 0, 15, 12);
  const { runtime, migrate, close } = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 'a-secret-of-at-least-32-characters',
    now: () => now,
  });
  await migrate();
  await ensureFirstOwner(runtime, { email: 'owner@example.com', password: 'a password' });
  const issued = await createApiKey(runtime, { workspaceId: 1, userId: 1 }, { name: 'key' });
  if (isRejection(issued)) throw new Error(issued.message);

  let writes = 0;
  const write: typeof runtime.engine.write = (lane, work) => {
    writes += 1;
    return runtime.engine.write(lane, work);
  };
  const counting = { ...runtime, engine: { ...runtime.engine, write } };
  const access = { kind: 'credential', permission: 'api-key:read' } as const;
  const use = () => resolveAccess(counting, access, { authorization: `Bearer ${issued.secret}` }, {});
  const lastUse = async () => (await findApiKey(runtime.engine.read, issued.key.id))?.lastUsedAt;

  const first = now;
  for (let second = 0; second < 60; second++) {
    await use();
    now += 1000;
  }
  expect([writes, await lastUse()]).toEqual([1, first]);
  await use();
  expect([writes, await lastUse()]).toEqual([2, first + 60_000]);
  await close();
});

test('accepts a session and logs a warning when its last use cannot be stored', async () => {
  let now = Date.UTC(2026, 0, 15, 12);
  const { runtime, migrate, close } = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 'a-secret-of-at-least-32-characters',
    now: () => now,
  });
  await migrate();
  await ensureFirstOwner(runtime, { email: 'owner@example.com', password: 'a password' });
  const { id, token } = await createSession(runtime, 1, true);
  now += 5 * 60_000;

  const failure = new Error('disk full');
  const warnings: unknown[] = [];
  const failing = {
    ...runtime,
    engine: { ...runtime.engine, write: () => Promise.reject(failure) },
    log: { ...runtime.log, warn: (fields: Record<string, unknown>) => void warnings.push(fields) },
  };
  const access = { kind: 'session', permission: null } as const;
  const actor = await resolveAccess(failing, access, { cookie: { token, rejection: null } }, {});
  expect(actor).toMatchObject({ kind: 'session', sessionId: id, isBrowser: true });
  expect(warnings).toEqual([{ err: failure, session_id: id }]);
  await close();
});
