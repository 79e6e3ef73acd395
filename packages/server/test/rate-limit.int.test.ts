import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { createMigratedDatabase, dropDatabase } from '../../core/test/support/postgres-server.ts';
import { createRateLimit } from '../src/rate-limit.ts';
import { openRateLimitStore, type RateLimitStore } from '../src/rate-limit-store.ts';
import { requestFrom } from './request-from.ts';

const SECRET = 'a-secret-of-at-least-32-characters';
const LIMIT = 50;
/** In one second, a client may send the limit plus a burst of the same size. */
const BURST = 2 * LIMIT;
const CLIENT = requestFrom('203.0.113.7');

let url: string;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  // The clock stands still, so all requests arrive in the same second.
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(closing.splice(0).map((close) => close()));
  await dropDatabase(url);
});

/**
 * Creates the rate limit of a server. `send` sends requests one after another. After each request, it waits until the
 * reports to the store have ended. It returns the number of admitted requests.
 */
function startServer({ connectionString = url, pooler = 'session' as 'session' | 'transaction' } = {}) {
  const database = { kind: 'postgres', connectionString, pooler, readConnectionString: undefined } as const;
  const store = openRateLimitStore(database, SECRET);
  closing.push(() => store.close());
  const reports: Promise<unknown>[] = [];
  const observed: RateLimitStore = {
    ...store,
    open: (...args) => {
      const limit = store.open(...args);
      return {
        add: (...counted) => {
          const added = limit.add(...counted);
          reports.push(added);
          return added;
        },
      };
    },
  };
  const warn = vi.fn();
  const admit = createRateLimit({ publicRateLimit: LIMIT, trustProxy: false }, warn, observed);
  const send = async (count: number, request = CLIENT) => {
    let admitted = 0;
    for (let sent = 0; sent < count; sent++) {
      if ((await admit(request)) === null) admitted += 1;
      await Promise.allSettled(reports.splice(0));
    }
    return admitted;
  };
  return { send, warn };
}

test.each(['session', 'transaction'] as const)(
  'two servers share the limit of a client, with statements for a pooler in %s mode',
  async (pooler) => {
    const [one, other] = [startServer({ pooler }), startServer({ pooler })];
    expect(await one.send(BURST)).toBe(BURST);
    const admitted = await other.send(BURST);
    // A server reports its requests after a tenth of the limit. The other server then learns that the limit is
    // exceeded.
    expect(admitted).toBeGreaterThan(0);
    expect(admitted).toBeLessThanOrEqual(LIMIT / 10);
    expect(await other.send(5, requestFrom('203.0.113.8'))).toBe(5);

    vi.setSystemTime(Date.now() + 1000);
    expect(await one.send(LIMIT / 2)).toBe(LIMIT / 2);
    expect(await other.send(LIMIT)).toBeLessThanOrEqual(LIMIT / 2 + LIMIT / 10);
  },
);

test('a client that sends few requests causes no write', async () => {
  const one = startServer();
  await one.send(LIMIT / 10 - 1);
  expect(await listKeys()).toEqual([]);
});

test('stores no IP address', async () => {
  const one = startServer();
  await one.send(LIMIT / 10);
  const keys = await listKeys();
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatch(/^client-second:[\w-]{43}$/);
});

test('each server counts only its own requests while the database cannot be reached', async () => {
  const one = startServer({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
  expect(await one.send(3 * BURST)).toBe(BURST);
  expect(one.warn).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(
      /^Cannot share rate limits between servers: .+\. For the next 5 seconds, this server counts only its own/,
    ),
  );
});

async function listKeys(): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ key: string }>('SELECT key FROM rate_limits');
  await client.end();
  return rows.map(({ key }) => key);
}
