import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../src/rejection.ts';
import type { Engine, Transaction, Work } from '../../src/storage/database/engine/engine.ts';
import { ConnectionLost } from '../../src/storage/database/engine/transient.ts';
import { catchUniqueViolation } from '../../src/storage/database/unique-violation.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';

const LANE = 1;

async function insert(tx: Transaction, name: string | null): Promise<string | null> {
  await sql`INSERT INTO things (name) VALUES (${name})`.execute(tx.db);
  return name;
}

const insertWork =
  (name: string): Work<string | null> =>
  (tx) =>
    insert(tx, name);

/** Steps that make a unit of work fail, by the kind of failure. */
const FAILURES: Readonly<Record<string, Work<unknown>>> = {
  'throws an error': async () => {
    throw new Error('no');
  },
  'violates a unique constraint': (tx) => insert(tx, 'taken'),
  'violates a NOT NULL constraint': (tx) => insert(tx, null),
  'reads a missing table': (tx) => sql`SELECT 1 FROM missing`.execute(tx.db),
  'fails in a savepoint': (tx) => tx.savepoint(() => insert(tx, 'taken')),
};

export function engineContract(kind: string, open: OpenEngine): void {
  describe(`the engine on ${kind}`, () => {
    let engine: Engine;
    beforeEach(async () => {
      engine = await open();
      await engine.migrate();
      await engine.write(LANE, async (tx) => {
        await sql`CREATE TABLE things (name TEXT NOT NULL UNIQUE)`.execute(tx.db);
        await insert(tx, 'taken');
      });
    });
    afterEach(() => engine.close());

    const names = async () => {
      const { rows } = await sql<{ name: string }>`SELECT name FROM things ORDER BY name`.execute(
        engine.read,
      );
      return rows.map((row) => row.name).filter((name) => name !== 'taken');
    };

    test('a snapshot neither sees nor blocks commits after its first query', async () => {
      const seen = await engine.snapshot(async (db) => {
        const count = async () =>
          (await sql<{ name: string }>`SELECT name FROM things`.execute(db)).rows.length;
        const before = await count();
        await engine.write(LANE, insertWork('late'));
        return [before, await count()];
      });
      expect(seen).toEqual([1, 1]);
      expect(await names()).toEqual(['late']);
    });

    test('snapshot works after a failed snapshot, and rejects with Unavailable after close', async () => {
      const failing = engine.snapshot(async (db) => {
        await sql`SELECT 1 FROM nowhere`.execute(db);
      });
      await expect(failing).rejects.toThrow('nowhere');
      expect(await engine.snapshot(async () => 'next')).toBe('next');
      await engine.close();
      await expect(engine.snapshot(async () => 'late')).rejects.toBeInstanceOf(Unavailable);
    });

    test('write returns the result of the unit of work', async () => {
      expect(await engine.write(LANE, insertWork('a'))).toBe('a');
      expect(await names()).toEqual(['a']);
    });

    describe.each(Object.entries(FAILURES))('a unit of work that %s', (_name, failure) => {
      test('a failing unit of work is rolled back at every position in a batch', async () => {
        for (let position = 0; position < 5; position++) {
          const results = await Promise.allSettled(
            [0, 1, 2, 3, 4].map((index) =>
              engine.write(LANE, async (tx) => {
                await insert(tx, `${position}.${index}`);
                if (index === position) await failure(tx);
                return await insert(tx, `${position}.${index}b`);
              }),
            ),
          );
          expect(results.map((result) => result.status)).toEqual(
            [0, 1, 2, 3, 4].map((index) => (index === position ? 'rejected' : 'fulfilled')),
          );
        }
        const stored = [0, 1, 2, 3, 4].flatMap((position) =>
          [0, 1, 2, 3, 4]
            .filter((index) => index !== position)
            .flatMap((index) => [`${position}.${index}`, `${position}.${index}b`]),
        );
        expect(await names()).toEqual(stored);
      });

      test('a failing unit of work is rolled back when it is the only one in its transaction', async () => {
        const work: Work<unknown> = async (tx) => {
          await insert(tx, 'a');
          await failure(tx);
        };
        await expect(engine.write(LANE, work)).rejects.toThrow();
        expect(await names()).toEqual([]);
        await engine.write(LANE, insertWork('after'));
        expect(await names()).toEqual(['after']);
      });
    });

    test('write fulfills only after the commit', async () => {
      const order: string[] = [];
      const works = ['a', 'b', 'c'].map((name) =>
        engine
          .write(LANE, async (tx) => {
            order.push(`run ${name}`);
            await insert(tx, name);
          })
          .then(() => order.push(`fulfill ${name}`)),
      );
      await works[0];
      // All units of work share one commit, so all rows are stored when the first promise is fulfilled.
      expect(await names()).toEqual(['a', 'b', 'c']);
      await Promise.all(works);
      expect(order).toEqual(['run a', 'run b', 'run c', 'fulfill a', 'fulfill b', 'fulfill c']);
    });

    test('units of work of a lane never run at the same time', async () => {
      let running = 0;
      const concurrency: number[] = [];
      const work =
        (name: string): Work<void> =>
        async (tx) => {
          running += 1;
          await insert(tx, `${name}1`);
          await new Promise((resolve) => setImmediate(resolve));
          await tx.savepoint(() => insert(tx, `${name}2`));
          concurrency.push(running);
          running -= 1;
        };
      const works: Promise<void>[] = [];
      for (let index = 10; index < 70; index++) {
        works.push(engine.write(LANE, work(String(index))));
        if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(works);
      expect(concurrency).toEqual(Array.from({ length: 60 }, () => 1));
      expect(await names()).toHaveLength(120);
    });

    test.each([LANE, 'clicks'] as const)(
      'lane %s commits hundreds of concurrent units of work',
      async (lane) => {
        const expected = Array.from({ length: 300 }, (_, index) => String(index + 1000));
        const results = await Promise.all(expected.map((name) => engine.write(lane, insertWork(name))));
        expect(results).toEqual(expected);
        expect(await names()).toEqual(expected);
      },
    );

    test.each([LANE, 'clicks'] as const)(
      'lane %s runs concurrent statements of a unit of work in the order of the calls',
      async (lane) => {
        const expected = Array.from({ length: 20 }, (_, index) => String(index + 10));
        const work: Work<unknown> = (tx) => Promise.all(expected.map((name) => insert(tx, name)));
        await Promise.all([engine.write(lane, work), engine.write(lane, insertWork('99'))]);
        expect(await names()).toEqual([...expected, '99']);
      },
    );

    test('savepoint rolls back only its own step, including in nested savepoints', async () => {
      const caught: string[] = [];
      await engine.write(LANE, async (tx) => {
        await insert(tx, 'a');
        await tx
          .savepoint(async () => {
            await insert(tx, 'b');
            await tx.savepoint(() => insert(tx, 'c'));
            await tx.savepoint(() => insert(tx, 'taken')).catch(() => caught.push('inner'));
            await insert(tx, 'd');
            throw new Error('outer');
          })
          .catch((error: Error) => caught.push(error.message));
        await tx.savepoint(() => insert(tx, 'e'));
      });
      expect({ caught, names: await names() }).toEqual({ caught: ['inner', 'outer'], names: ['a', 'e'] });
    });

    test('catchUniqueViolation handles unique violations, and rethrows other errors', async () => {
      const result = await engine.write(LANE, async (tx) => [
        await catchUniqueViolation(tx, () => insert(tx, 'a')),
        await catchUniqueViolation(tx, () => insert(tx, 'a')),
        await catchUniqueViolation(tx, () => insert(tx, 'b')),
      ]);
      expect({ result, names: await names() }).toEqual({ result: ['a', 'taken', 'b'], names: ['a', 'b'] });
      await expect(
        engine.write(LANE, (tx) => catchUniqueViolation(tx, () => insert(tx, null))),
      ).rejects.toThrow();
    });

    test('runs the units of work of a batch again, one per transaction, after a transient error', async () => {
      const runs: string[] = [];
      const works = ['a', 'b', 'c'].map((name) =>
        engine.write(LANE, async (tx) => {
          runs.push(name);
          await insert(tx, name);
          if (name === 'b' && runs.length < 3) throw new ConnectionLost('simulated');
          return name;
        }),
      );
      expect(await Promise.all(works)).toEqual(['a', 'b', 'c']);
      expect({ runs, names: await names() }).toEqual({
        runs: ['a', 'b', 'a', 'b', 'c'],
        names: ['a', 'b', 'c'],
      });
    });

    test('reads do not see uncommitted rows', async () => {
      const inserted = Promise.withResolvers<void>();
      const read = Promise.withResolvers<void>();
      const work = engine.write(LANE, async (tx) => {
        await insert(tx, 'a');
        inserted.resolve();
        await read.promise;
        throw new Error('rolled back');
      });
      const failed = expect(work).rejects.toThrow('rolled back');
      await inserted.promise;
      const seen = names();
      // An in-memory database has one connection, so the unit of work must end before the read can run.
      if (kind === 'SQLite in memory') read.resolve();
      expect(await seen).toEqual([]);
      read.resolve();
      await failed;
    });

    test('a unit of work sees its own rows and those of earlier units of work in its batch', async () => {
      const count = (tx: Transaction) => sql<{ n: number }>`SELECT count(*) AS n FROM things`.execute(tx.db);
      const results = await Promise.all(
        ['a', 'b'].map((name) =>
          engine.write(LANE, async (tx) => {
            await insert(tx, name);
            return (await count(tx)).rows;
          }),
        ),
      );
      expect(results).toEqual([[{ n: 2 }], [{ n: 3 }]]);
    });

    test('returns the number of affected rows', async () => {
      await engine.write(LANE, async (tx) => {
        await Promise.all(['a', 'b'].map((name) => insert(tx, name)));
        const changed = await sql`UPDATE things SET name = name || '!' WHERE name <> 'taken'`.execute(tx.db);
        expect(changed.numAffectedRows).toBe(2n);
        const none = await sql`DELETE FROM things WHERE name = 'z'`.execute(tx.db);
        expect(none.numAffectedRows).toBe(0n);
      });
    });

    test('returns exact integers, and throws a RangeError for unsafe ones', async () => {
      const largest = sql<{ n: number }>`SELECT 9007199254740991 AS n, -9007199254740991 AS m`;
      const exact = { rows: [{ n: Number.MAX_SAFE_INTEGER, m: -Number.MAX_SAFE_INTEGER }] };
      expect(await largest.execute(engine.read)).toMatchObject(exact);
      const tooLarge = sql`SELECT 9007199254740993 AS n`;
      await expect(tooLarge.execute(engine.read)).rejects.toThrow(RangeError);
      await expect(engine.write(LANE, (tx) => tooLarge.execute(tx.db))).rejects.toThrow(RangeError);
      await expect(engine.write(LANE, insertWork('a'))).resolves.toBe('a');
    });

    test('Kysely transactions are rejected', async () => {
      await expect(engine.read.transaction().execute(async () => {})).rejects.toThrow('engine.write');
    });

    test('close waits for queued units of work and rejects later writes', async () => {
      const done: string[] = [];
      const works = ['a', 'b'].map((name) =>
        engine.write(LANE, insertWork(name)).then(() => done.push(name)),
      );
      const closed = Promise.all([engine.close(), engine.close()]);
      await expect(engine.write(LANE, insertWork('c'))).rejects.toThrow(Unavailable);
      await closed;
      expect(done).toEqual(['a', 'b']);
      await Promise.all(works);
    });
  });
}
