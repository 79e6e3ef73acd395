import { once } from 'node:events';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { Unavailable } from '../../../rejection.ts';
import { postgresEngine } from '../../postgres.ts';
import type { Transaction } from './engine.ts';

const LANES = [0, 1, 2, 'clicks'] as const;

const ask = async <R>(tx: Pick<Transaction, 'db'>, text: string) =>
  (await sql.raw<R>(text).execute(tx.db)).rows;

describe('on a server that syncs', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test.each(LANES)('lane %s commits to the disk, whatever the database says by default', async (lane) => {
    const connectionString = await server.createDatabase();
    const before = postgresEngine({ connectionString });
    const name = new URL(connectionString).pathname.slice(1);
    for (const setting of ["synchronous_commit = 'off'", "default_transaction_isolation = 'serializable'"]) {
      await sql.raw(`ALTER DATABASE ${name} SET ${setting}`).execute(before.read);
    }
    await before.close();
    const own = postgresEngine({ connectionString });
    await own.migrate();
    const settings = await own.write(lane, async (tx) => [
      await ask(tx, 'SHOW synchronous_commit'),
      await ask(tx, 'SHOW fsync'),
      await ask(tx, 'SHOW transaction_isolation'),
    ]);
    await own.close();
    expect(settings).toEqual([
      [{ synchronous_commit: 'on' }],
      [{ fsync: 'on' }],
      [{ transaction_isolation: 'read committed' }],
    ]);
  });

  test('a batch reaches the disk by one sync, and a lone work by one of its own', async () => {
    const own = postgresEngine({ connectionString: await server.createDatabase() });
    await own.migrate();
    const write = () =>
      own.write(1, (tx) =>
        ask(
          tx,
          `INSERT INTO users (email, name, password_hash, created_at)
      VALUES (gen_random_uuid()::text, '', '', 0)`,
        ),
      );
    const countSyncs = async () => {
      // A connection reports its figures when it is asked to, at the end of a transaction.
      await own.write(1, (tx) => ask(tx, 'SELECT pg_stat_force_next_flush()'));
      const { rows } = await sql<{ syncs: number }>`SELECT sum(fsyncs) AS syncs FROM pg_stat_io
        WHERE object = 'wal' AND backend_type = 'client backend'`.execute(own.read);
      return rows[0]?.syncs ?? 0;
    };
    await write();
    const start = await countSyncs();
    for (let turn = 0; turn < 20; turn++) await write();
    const alone = await countSyncs();
    await Promise.all(Array.from({ length: 50 }, write));
    const together = await countSyncs();
    await own.close();
    expect(alone - start).toBeGreaterThanOrEqual(20);
    // A second one where the log begins a new file.
    expect(together - alone).toBeOneOf([1, 2]);
  });
});

test('a server that ends each new connection at once ends no process: it is unavailable', async () => {
  const message = (type: string, body: string | Buffer) => {
    const bytes = Buffer.from(body);
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(bytes.length + 4, 1);
    return Buffer.concat([head, bytes]);
  };
  const welcome = [message('R', Buffer.alloc(4)), message('Z', 'I')];
  const end = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(Buffer.concat([...welcome, end])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const own = postgresEngine({
    connectionString: `postgres://a:b@127.0.0.1:${port}/c`,
    reconnectTimeoutMs: 50,
  });
  await expect(sql`SELECT 1`.execute(own.read)).rejects.toThrow(Unavailable);
  await expect(own.snapshot((db) => sql`SELECT 1`.execute(db))).rejects.toThrow();
  await expect(own.write(1, (tx) => ask(tx, 'SELECT 1'))).rejects.toThrow(Unavailable);
  await own.close();
  server.close();
});
