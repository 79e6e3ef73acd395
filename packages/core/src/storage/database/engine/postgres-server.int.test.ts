import { once } from 'node:events';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { Unavailable } from '../../../rejection.ts';
import { postgresEngine } from '../../postgres.ts';
import type { Transaction } from './engine.ts';

const LANES = [0, 1, 2, 'clicks'] as const;

const query = async <R>(tx: Pick<Transaction, 'db'>, text: string) =>
  (await sql.raw<R>(text).execute(tx.db)).rows;

describe('a server with fsync enabled', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test.each(LANES)('lane %s overrides the commit and isolation settings of the database', async (lane) => {
    const connectionString = await server.createDatabase();
    const before = postgresEngine({ connectionString });
    const name = new URL(connectionString).pathname.slice(1);
    for (const setting of ["synchronous_commit = 'off'", "default_transaction_isolation = 'serializable'"]) {
      await sql.raw(`ALTER DATABASE ${name} SET ${setting}`).execute(before.read);
    }
    await before.close();
    const engine = postgresEngine({ connectionString });
    await engine.migrate();
    const settings = await engine.write(lane, async (tx) => [
      await query(tx, 'SHOW synchronous_commit'),
      await query(tx, 'SHOW fsync'),
      await query(tx, 'SHOW transaction_isolation'),
    ]);
    await engine.close();
    expect(settings).toEqual([
      [{ synchronous_commit: 'on' }],
      [{ fsync: 'on' }],
      [{ transaction_isolation: 'read committed' }],
    ]);
  });

  test('syncs the disk once per batch and once per single unit of work', async () => {
    const engine = postgresEngine({ connectionString: await server.createDatabase() });
    await engine.migrate();
    const write = () =>
      engine.write(1, (tx) =>
        query(
          tx,
          `INSERT INTO users (email, name, password_hash, created_at)
      VALUES (gen_random_uuid()::text, '', '', 0)`,
        ),
      );
    const countSyncs = async () => {
      // Makes the connection report its statistics when the transaction ends.
      await engine.write(1, (tx) => query(tx, 'SELECT pg_stat_force_next_flush()'));
      const { rows } = await sql<{ syncs: number }>`SELECT sum(fsyncs) AS syncs FROM pg_stat_io
        WHERE object = 'wal' AND backend_type = 'client backend'`.execute(engine.read);
      return rows[0]?.syncs ?? 0;
    };
    await write();
    const start = await countSyncs();
    for (let turn = 0; turn < 20; turn++) await write();
    const afterSingles = await countSyncs();
    await Promise.all(Array.from({ length: 50 }, write));
    const afterBatch = await countSyncs();
    await engine.close();
    expect(afterSingles - start).toBeGreaterThanOrEqual(20);
    // There is a second sync if the write-ahead log starts a new file.
    expect(afterBatch - afterSingles).toBeOneOf([1, 2]);
  });
});

test('rejects with Unavailable when the server closes each new connection immediately', async () => {
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
  const engine = postgresEngine({
    connectionString: `postgres://a:b@127.0.0.1:${port}/c`,
    reconnectTimeoutMs: 50,
  });
  await expect(sql`SELECT 1`.execute(engine.read)).rejects.toThrow(Unavailable);
  await expect(engine.snapshot((db) => sql`SELECT 1`.execute(db))).rejects.toThrow();
  await expect(engine.write(1, (tx) => query(tx, 'SELECT 1'))).rejects.toThrow(Unavailable);
  await engine.close();
  server.close();
});
