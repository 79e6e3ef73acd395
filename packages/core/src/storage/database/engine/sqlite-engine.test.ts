import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../../rejection.ts';
import { type SqliteOptions, sqliteEngine } from '../../sqlite.ts';
import type { Engine, Transaction } from './engine.ts';

let folder: string;
let engines: Engine[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-sqlite-'));
  engines = [];
});

afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  rmSync(folder, { recursive: true });
});

function open(options: Partial<SqliteOptions> = {}): Engine {
  const engine = sqliteEngine({ path: join(folder, 'affkit.db'), ...options });
  engines.push(engine);
  return engine;
}

/** Opens an engine with a table of names. */
async function openWithMarks(options: Partial<SqliteOptions> = {}): Promise<Engine> {
  const engine = open(options);
  await engine.write(1, (tx) =>
    query(tx.db, 'CREATE TABLE marks (id INTEGER PRIMARY KEY, name TEXT NOT NULL)'),
  );
  return engine;
}

async function query(db: Engine['read'], text: string, values: unknown[] = []): Promise<unknown[]> {
  return (await db.executeQuery(CompiledQuery.raw(text, values))).rows;
}

function insert(tx: Transaction, name: string | null): Promise<unknown[]> {
  return query(tx.db, 'INSERT INTO marks (name) VALUES (?)', [name]);
}

function readNames(engine: Engine): Promise<unknown[]> {
  return query(engine.read, 'SELECT name FROM marks ORDER BY id');
}

function named(...names: string[]): { name: string }[] {
  return names.map((name) => ({ name }));
}

describe.each([':memory:', 'file'])('SQLite, %s', (kind) => {
  const options = kind === 'file' ? {} : { path: kind };

  test('commits all units of work of a batch except the one that fails', async () => {
    const engine = await openWithMarks(options);
    const outcomes = await Promise.allSettled([
      engine.write(1, (tx) => insert(tx, 'a')),
      engine.write(1, async (tx) => {
        await insert(tx, 'b');
        await insert(tx, null);
      }),
      engine.write(1, (tx) => insert(tx, 'c')),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await readNames(engine)).toEqual(named('a', 'c'));
  });

  test('rolls back a single unit of work that fails', async () => {
    const engine = await openWithMarks(options);
    const failing = engine.write(1, async (tx) => {
      await insert(tx, 'a');
      throw new Error('no such program');
    });
    await expect(failing).rejects.toThrow('no such program');
    expect(await readNames(engine)).toEqual([]);
  });

  test('rolls back only a nested savepoint if its step fails', async () => {
    const engine = await openWithMarks(options);
    await engine.write(1, async (tx) => {
      await insert(tx, 'a');
      await tx.savepoint(async () => {
        await insert(tx, 'b');
        const inner = tx.savepoint(async () => {
          await insert(tx, 'c');
          await insert(tx, null);
        });
        await expect(inner).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_NOTNULL' });
        await insert(tx, 'd');
      });
    });
    expect(await readNames(engine)).toEqual(named('a', 'b', 'd'));
  });

  const POSITIONS = [0, 1, 2, 3, 4];
  const NAMES = ['a', 'b', 'c', 'd', 'e'];

  test.each(POSITIONS)(
    'stores all other units of work once when the unit at position %i makes SQLite end the transaction',
    async (position) => {
      const engine = await openWithMarks(options);
      const outcomes = await Promise.allSettled(
        NAMES.map((name, index) =>
          engine.write(1, (tx) =>
            index === position
              ? query(tx.db, 'INSERT OR ROLLBACK INTO marks (name) VALUES (NULL)')
              : insert(tx, name),
          ),
        ),
      );
      expect(outcomes.map((outcome) => outcome.status)).toEqual(
        POSITIONS.map((index) => (index === position ? 'rejected' : 'fulfilled')),
      );
      expect(await readNames(engine)).toEqual(named(...NAMES.filter((_, index) => index !== position)));
    },
  );

  test.each(POSITIONS)(
    'stores each unit of work once or rejects it when the disk becomes full at position %i',
    async (position) => {
      const engine = await openWithMarks(options);
      const setPages = (tx: Transaction, count: number) => query(tx.db, `PRAGMA max_page_count = ${count}`);
      const outcomes = await Promise.allSettled(
        NAMES.map((name, index) =>
          engine.write(1, async (tx) => {
            await insert(tx, name);
            if (index !== position) return;
            await setPages(tx, 1);
            try {
              await insert(tx, 'x'.repeat(100_000));
            } finally {
              await setPages(tx, 1_000_000).catch(() => {});
            }
          }),
        ),
      );
      expect(outcomes[position]).toMatchObject({
        status: 'rejected',
        reason: { name: 'Unavailable', cause: { code: 'SQLITE_FULL' } },
      });
      expect(await readNames(engine)).toEqual(
        named(...NAMES.filter((_, index) => outcomes[index]?.status === 'fulfilled')),
      );
    },
  );

  test('stores nothing of a unit of work that continues after SQLite has ended its transaction', async () => {
    const engine = await openWithMarks(options);
    const writing = engine.write(1, async (tx) => {
      await insert(tx, 'a');
      await query(tx.db, 'INSERT OR ROLLBACK INTO marks (name) VALUES (NULL)').catch(() => {});
      await insert(tx, 'b').catch(() => {});
    });
    await expect(writing).rejects.toThrow('The transaction is no longer active');
    expect(await readNames(engine)).toEqual([]);
  });

  test('rejects parameters and results that are not safe integers', async () => {
    const engine = await openWithMarks(options);
    const largest = await query(engine.read, 'SELECT 9007199254740991 AS value');
    expect(largest).toEqual([{ value: Number.MAX_SAFE_INTEGER }]);
    for (const value of ['9007199254740992', '9007199254740993', '-9007199254740993']) {
      await expect(query(engine.read, `SELECT ${value} AS value`)).rejects.toThrow(RangeError);
    }
    const summed = query(engine.read, 'SELECT SUM(n) AS value FROM (SELECT ? AS n UNION ALL SELECT 2)', [
      Number.MAX_SAFE_INTEGER,
    ]);
    await expect(summed).rejects.toThrow(RangeError);
    await expect(query(engine.read, 'SELECT ? AS value', [2 ** 53])).rejects.toThrow(RangeError);
  });

  test('close waits for queued units of work and may be called twice', async () => {
    const engine = await openWithMarks(options);
    const queued = [1, 2, 3].map((id) => engine.write(1, (tx) => insert(tx, String(id))));
    await Promise.all([engine.close(), engine.close()]);
    await expect(Promise.all(queued)).resolves.toHaveLength(3);
    await expect(engine.write(1, (tx) => insert(tx, 'late'))).rejects.toThrow(Unavailable);
  });

  test('migrate can be called again', async () => {
    const engine = open(options);
    await engine.migrate();
    await engine.migrate();
    expect(await engine.read.selectFrom('programs').selectAll().execute()).toEqual([]);
  });
});

describe('a SQLite file', () => {
  test('uses WAL mode on each connection, and synchronous=NORMAL and foreign keys for writes', async () => {
    const engine = open();
    const settings = ['journal_mode', 'synchronous', 'foreign_keys'];
    const readAll = (db: Engine['read']) => Promise.all(settings.map((name) => query(db, `PRAGMA ${name}`)));
    const writerSettings = await engine.write(1, (tx) => readAll(tx.db));
    // 1 is NORMAL. SQLite syncs the log only before a checkpoint; `SqliteLog` syncs it after each commit.
    expect(writerSettings).toEqual([[{ journal_mode: 'wal' }], [{ synchronous: 1 }], [{ foreign_keys: 1 }]]);
    expect((await readAll(engine.read))[0]).toEqual([{ journal_mode: 'wal' }]);
  });

  test('reads see only committed rows and cannot write', async () => {
    const engine = await openWithMarks();
    let seen: unknown;
    await engine.write(1, async (tx) => {
      await insert(tx, 'a');
      seen = await readNames(engine);
    });
    expect(seen).toEqual([]);
    expect(await readNames(engine)).toEqual(named('a'));
    const writing = query(engine.read, "INSERT INTO marks (name) VALUES ('b')");
    await expect(writing).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
  });

  test('checkpoints the log into the file on close', async () => {
    const engine = await openWithMarks();
    await engine.write(1, (tx) => insert(tx, 'a'));
    await engine.close();
    const path = join(folder, 'affkit.db');
    rmSync(`${path}-wal`, { force: true });
    const reopened = new BetterSqlite3(path, { readonly: true });
    expect(reopened.prepare('SELECT name FROM marks').all()).toEqual(named('a'));
    reopened.close();
  });

  test('a write waits for the lock of another process without blocking the event loop', async () => {
    const engine = await openWithMarks();
    const other = lockFile();
    const writing = engine.write(1, (tx) => insert(tx, 'a'));
    // If the event loop were blocked, the lock would never be released.
    setImmediate(() => other.exec('COMMIT').close());
    await writing;
    expect(await readNames(engine)).toEqual(named('a'));
  });

  test('a write rejects with Unavailable when another process keeps the lock', async () => {
    const engine = await openWithMarks({ busyTimeoutMs: 0 });
    const other = lockFile();
    const outcomes = await Promise.allSettled(
      ['a', 'b'].map((name) => engine.write(1, (tx) => insert(tx, name))),
    );
    expect(outcomes).toEqual(outcomes.map(() => ({ status: 'rejected', reason: expect.any(Unavailable) })));
    other.exec('COMMIT').close();
    await engine.write(1, (tx) => insert(tx, 'c'));
    expect(await readNames(engine)).toEqual(named('c'));
  });

  test.each([
    ['a folder that does not exist', 'missing/affkit.db'],
    ['a folder', '.'],
  ])('rejects %s as the path, with the path in the message', (_, name) => {
    const path = join(folder, name);
    expect(() => open({ path })).toThrow(`Can't open the SQLite database ${path}`);
    expect(() => open({ path })).toThrow(/\. Its folder must exist and be writable by this process\.$/);
  });

  test('rejects a file that is not a database', () => {
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'plain text that is longer than the header of a database '.repeat(20));
    const message = `Can't open the SQLite database ${path}: file is not a database. The file is not a SQLite database.`;
    expect(() => open({ path })).toThrow(new Error(message));
  });

  test.each(['', ' ', undefined])(
    'rejects the path %j, with which SQLite would open a temporary database',
    (path) => {
      expect(() => open({ path: path as string })).toThrow(
        'The option "path" of the SQLite database must be a file path or ":memory:"',
      );
    },
  );
});

/** Opens another connection, which holds the write lock. */
function lockFile(): BetterSqlite3.Database {
  const other = new BetterSqlite3(join(folder, 'affkit.db'));
  other.exec('BEGIN IMMEDIATE');
  return other;
}
