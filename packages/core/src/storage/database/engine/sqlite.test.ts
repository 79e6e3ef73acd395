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

/** An engine with a table of names. */
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

  test('a work that fails leaves no trace, its neighbours are stored', async () => {
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

  test('a lone work that fails leaves no trace', async () => {
    const engine = await openWithMarks(options);
    const failing = engine.write(1, async (tx) => {
      await insert(tx, 'a');
      throw new Error('no such program');
    });
    await expect(failing).rejects.toThrow('no such program');
    expect(await readNames(engine)).toEqual([]);
  });

  test('a step in a savepoint is undone alone, also within another', async () => {
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
    'when position %i makes SQLite end the transaction, the others are stored once',
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
    'when the disk is full at position %i, what fits is stored once and the rest refused',
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

  test('a work that goes on after SQLite ended its transaction stores nothing', async () => {
    const engine = await openWithMarks(options);
    const stubborn = engine.write(1, async (tx) => {
      await insert(tx, 'a');
      await query(tx.db, 'INSERT OR ROLLBACK INTO marks (name) VALUES (NULL)').catch(() => {});
      await insert(tx, 'b').catch(() => {});
    });
    await expect(stubborn).rejects.toThrow('SQLite has ended the transaction');
    expect(await readNames(engine)).toEqual([]);
  });

  test('an integer that a number cannot hold is refused, in and out', async () => {
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

  test('close waits for what is queued and may be called twice', async () => {
    const engine = await openWithMarks(options);
    const queued = [1, 2, 3].map((id) => engine.write(1, (tx) => insert(tx, String(id))));
    await Promise.all([engine.close(), engine.close()]);
    await expect(Promise.all(queued)).resolves.toHaveLength(3);
    await expect(engine.write(1, (tx) => insert(tx, 'late'))).rejects.toThrow(Unavailable);
  });

  test('its migrations can be applied again', async () => {
    const engine = open(options);
    await engine.migrate();
    await engine.migrate();
    expect(await engine.read.selectFrom('programs').selectAll().execute()).toEqual([]);
  });
});

describe('a SQLite file', () => {
  test('every connection has the settings that make commits durable', async () => {
    const engine = open();
    const settings = ['journal_mode', 'synchronous', 'foreign_keys'];
    const readAll = (db: Engine['read']) => Promise.all(settings.map((name) => query(db, `PRAGMA ${name}`)));
    const ofWriter = await engine.write(1, (tx) => readAll(tx.db));
    // 1 is NORMAL: SQLite syncs its log before a checkpoint, and `SqliteLog` after each commit.
    expect(ofWriter).toEqual([[{ journal_mode: 'wal' }], [{ synchronous: 1 }], [{ foreign_keys: 1 }]]);
    expect((await readAll(engine.read))[0]).toEqual([{ journal_mode: 'wal' }]);
  });

  test('reads see committed rows only, and cannot write', async () => {
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

  test('the log is folded into the file on close', async () => {
    const engine = await openWithMarks();
    await engine.write(1, (tx) => insert(tx, 'a'));
    await engine.close();
    const path = join(folder, 'affkit.db');
    rmSync(`${path}-wal`, { force: true });
    const plain = new BetterSqlite3(path, { readonly: true });
    expect(plain.prepare('SELECT name FROM marks').all()).toEqual(named('a'));
    plain.close();
  });

  test('a write waits for another process without stopping this one', async () => {
    const engine = await openWithMarks();
    const other = lockFile();
    const writing = engine.write(1, (tx) => insert(tx, 'a'));
    // Only an event loop that runs gets to unlock.
    setImmediate(() => other.exec('COMMIT').close());
    await writing;
    expect(await readNames(engine)).toEqual(named('a'));
  });

  test('a write is refused as unavailable when another process keeps the lock', async () => {
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
  ])('a path that names %s is refused with that path', (_, name) => {
    const path = join(folder, name);
    expect(() => open({ path })).toThrow(`Can't open the SQLite database ${path}`);
    expect(() => open({ path })).toThrow(
      /\. Its folder must exist, and this process must be allowed to write there\.$/,
    );
  });

  test('of another kind of file it is said that it is one', () => {
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'no database, though as long as the head of one '.repeat(20));
    const problem = `Can't open the SQLite database ${path}: file is not a database. It is another kind of file.`;
    expect(() => open({ path })).toThrow(new Error(problem));
  });

  test.each(['', ' '])(
    'an empty path %j is refused: SQLite would open a database that nobody finds again',
    (path) => {
      expect(() => open({ path })).toThrow('The path of the SQLite database is empty');
    },
  );
});

/** Another connection that holds the write lock. */
function lockFile(): BetterSqlite3.Database {
  const other = new BetterSqlite3(join(folder, 'affkit.db'));
  other.exec('BEGIN IMMEDIATE');
  return other;
}
