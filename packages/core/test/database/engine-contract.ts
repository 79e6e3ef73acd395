import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../src/rejection.ts';
import type { Engine, Transaction, Work } from '../../src/storage/database/engine/engine.ts';
import { ConnectionLost } from '../../src/storage/database/engine/transient.ts';
import { catchUniqueViolation } from '../../src/storage/database/unique-violation.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';

const LANE = 1;

async function add(tx: Transaction, name: string | null): Promise<string | null> {
  await sql`INSERT INTO things (name) VALUES (${name})`.execute(tx.db);
  return name;
}

const adding =
  (name: string): Work<string | null> =>
  (tx) =>
    add(tx, name);

/** Ends a work in the middle, in each way in which one can fail. */
const FAILURES: Readonly<Record<string, Work<unknown>>> = {
  'throws an error of its own': async () => {
    throw new Error('no');
  },
  'repeats what must be unique': (tx) => add(tx, 'taken'),
  'leaves out what must not be null': (tx) => add(tx, null),
  'asks for a table that is not there': (tx) => sql`SELECT 1 FROM missing`.execute(tx.db),
  'fails in a savepoint': (tx) => tx.savepoint(() => add(tx, 'taken')),
};

/** What an engine promises, whatever its database. */
export function engineContract(kind: string, open: OpenEngine): void {
  describe(`the engine on ${kind}`, () => {
    let engine: Engine;
    beforeEach(async () => {
      engine = await open();
      await engine.migrate();
      await engine.write(LANE, async (tx) => {
        await sql`CREATE TABLE things (name TEXT NOT NULL UNIQUE)`.execute(tx.db);
        await add(tx, 'taken');
      });
    });
    afterEach(() => engine.close());

    const names = async () => {
      const { rows } = await sql<{ name: string }>`SELECT name FROM things ORDER BY name`.execute(
        engine.read,
      );
      return rows.map((row) => row.name).filter((name) => name !== 'taken');
    };

    test('a snapshot shows nothing that is committed after its first query', async () => {
      let written: Promise<unknown> = Promise.resolve();
      const seen = await engine.snapshot(async (db) => {
        const count = async () =>
          (await sql<{ name: string }>`SELECT name FROM things`.execute(db)).rows.length;
        const before = await count();
        written = engine.write(LANE, adding('late'));
        // In memory the writer waits for the snapshot.
        if (!kind.includes('memory')) await written;
        return [before, await count()];
      });
      await written;
      expect(seen).toEqual([1, 1]);
      expect(await names()).toEqual(['late']);
    });

    test('a snapshot that fails leaves the engine as it was, and one of a closed engine is refused', async () => {
      const failing = engine.snapshot(async (db) => {
        await sql`SELECT 1 FROM nowhere`.execute(db);
      });
      await expect(failing).rejects.toThrow('nowhere');
      expect(await engine.snapshot(async () => 'next')).toBe('next');
      await engine.close();
      await expect(engine.snapshot(async () => 'late')).rejects.toBeInstanceOf(Unavailable);
    });

    test('answers a work with its result', async () => {
      expect(await engine.write(LANE, adding('a'))).toBe('a');
      expect(await names()).toEqual(['a']);
    });

    describe.each(Object.entries(FAILURES))('a work that %s', (_name, failure) => {
      test('leaves no trace, wherever in the batch it stands', async () => {
        for (let position = 0; position < 5; position++) {
          const results = await Promise.allSettled(
            [0, 1, 2, 3, 4].map((index) =>
              engine.write(LANE, async (tx) => {
                await add(tx, `${position}.${index}`);
                if (index === position) await failure(tx);
                return await add(tx, `${position}.${index}b`);
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

      test('leaves no trace when it is alone', async () => {
        const work: Work<unknown> = async (tx) => {
          await add(tx, 'a');
          await failure(tx);
        };
        await expect(engine.write(LANE, work)).rejects.toThrow();
        expect(await names()).toEqual([]);
        await engine.write(LANE, adding('after'));
        expect(await names()).toEqual(['after']);
      });
    });

    test('no result is given before the commit', async () => {
      const order: string[] = [];
      const works = ['a', 'b', 'c'].map((name) =>
        engine
          .write(LANE, async (tx) => {
            order.push(`run ${name}`);
            await add(tx, name);
          })
          .then(() => order.push(`answer ${name}`)),
      );
      await works[0];
      // By the first answer, the others' rows are committed as well.
      expect(await names()).toEqual(['a', 'b', 'c']);
      await Promise.all(works);
      expect(order).toEqual(['run a', 'run b', 'run c', 'answer a', 'answer b', 'answer c']);
    });

    test('works of a lane never run at the same time', async () => {
      let running = 0;
      const most: number[] = [];
      const work =
        (name: string): Work<void> =>
        async (tx) => {
          running += 1;
          await add(tx, `${name}1`);
          await new Promise((resolve) => setImmediate(resolve));
          await tx.savepoint(() => add(tx, `${name}2`));
          most.push(running);
          running -= 1;
        };
      const works: Promise<void>[] = [];
      for (let index = 10; index < 70; index++) {
        works.push(engine.write(LANE, work(String(index))));
        if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(works);
      expect(most).toEqual(Array.from({ length: 60 }, () => 1));
      expect(await names()).toHaveLength(120);
    });

    test.each([LANE, 'clicks'] as const)('lane %s commits hundreds of works at once', async (lane) => {
      const expected = Array.from({ length: 300 }, (_, index) => String(index + 1000));
      const results = await Promise.all(expected.map((name) => engine.write(lane, adding(name))));
      expect(results).toEqual(expected);
      expect(await names()).toEqual(expected);
    });

    test.each([LANE, 'clicks'] as const)(
      'lane %s carries out statements of a work that are not awaited one by one',
      async (lane) => {
        const expected = Array.from({ length: 20 }, (_, index) => String(index + 10));
        const work: Work<unknown> = (tx) => Promise.all(expected.map((name) => add(tx, name)));
        await Promise.all([engine.write(lane, work), engine.write(lane, adding('99'))]);
        expect(await names()).toEqual([...expected, '99']);
      },
    );

    test('a savepoint undoes its step alone, also one within another', async () => {
      const caught: string[] = [];
      await engine.write(LANE, async (tx) => {
        await add(tx, 'a');
        await tx
          .savepoint(async () => {
            await add(tx, 'b');
            await tx.savepoint(() => add(tx, 'c'));
            await tx.savepoint(() => add(tx, 'taken')).catch(() => caught.push('inner'));
            await add(tx, 'd');
            throw new Error('outer');
          })
          .catch((error: Error) => caught.push(error.message));
        await tx.savepoint(() => add(tx, 'e'));
      });
      expect({ caught, names: await names() }).toEqual({ caught: ['inner', 'outer'], names: ['a', 'e'] });
    });

    test('what is taken is told from other failures, and the work goes on', async () => {
      const result = await engine.write(LANE, async (tx) => [
        await catchUniqueViolation(tx, () => add(tx, 'a')),
        await catchUniqueViolation(tx, () => add(tx, 'a')),
        await catchUniqueViolation(tx, () => add(tx, 'b')),
      ]);
      expect({ result, names: await names() }).toEqual({ result: ['a', 'taken', 'b'], names: ['a', 'b'] });
      await expect(
        engine.write(LANE, (tx) => catchUniqueViolation(tx, () => add(tx, null))),
      ).rejects.toThrow();
    });

    test('a work that met a passing fault is run again alone', async () => {
      const runs: string[] = [];
      const works = ['a', 'b', 'c'].map((name) =>
        engine.write(LANE, async (tx) => {
          runs.push(name);
          await add(tx, name);
          if (name === 'b' && runs.length < 3) throw new ConnectionLost('as it were');
          return name;
        }),
      );
      expect(await Promise.all(works)).toEqual(['a', 'b', 'c']);
      expect({ runs, names: await names() }).toEqual({
        runs: ['a', 'b', 'a', 'b', 'c'],
        names: ['a', 'b', 'c'],
      });
    });

    test('reads see nothing that is not committed', async () => {
      const inserted = Promise.withResolvers<void>();
      const read = Promise.withResolvers<void>();
      const work = engine.write(LANE, async (tx) => {
        await add(tx, 'a');
        inserted.resolve();
        await read.promise;
        throw new Error('undone');
      });
      const failed = expect(work).rejects.toThrow('undone');
      await inserted.promise;
      const seen = names();
      // The one connection of a database in memory reads only after the work.
      if (kind === 'SQLite in memory') read.resolve();
      expect(await seen).toEqual([]);
      read.resolve();
      await failed;
    });

    test('a work reads what it wrote, and what works before it wrote', async () => {
      const count = (tx: Transaction) => sql<{ n: number }>`SELECT count(*) AS n FROM things`.execute(tx.db);
      const results = await Promise.all(
        ['a', 'b'].map((name) =>
          engine.write(LANE, async (tx) => {
            await add(tx, name);
            return (await count(tx)).rows;
          }),
        ),
      );
      expect(results).toEqual([[{ n: 2 }], [{ n: 3 }]]);
    });

    test('says how many rows a statement changed', async () => {
      await engine.write(LANE, async (tx) => {
        await Promise.all(['a', 'b'].map((name) => add(tx, name)));
        const changed = await sql`UPDATE things SET name = name || '!' WHERE name <> 'taken'`.execute(tx.db);
        expect(changed.numAffectedRows).toBe(2n);
        const none = await sql`DELETE FROM things WHERE name = 'z'`.execute(tx.db);
        expect(none.numAffectedRows).toBe(0n);
      });
    });

    test('whole numbers are exact, and one that a number can not hold is refused', async () => {
      const largest = sql<{ n: number }>`SELECT 9007199254740991 AS n, -9007199254740991 AS m`;
      const exact = { rows: [{ n: Number.MAX_SAFE_INTEGER, m: -Number.MAX_SAFE_INTEGER }] };
      expect(await largest.execute(engine.read)).toMatchObject(exact);
      const tooLarge = sql`SELECT 9007199254740993 AS n`;
      await expect(tooLarge.execute(engine.read)).rejects.toThrow(RangeError);
      await expect(engine.write(LANE, (tx) => tooLarge.execute(tx.db))).rejects.toThrow(RangeError);
      await expect(engine.write(LANE, adding('a'))).resolves.toBe('a');
    });

    test('Kysely can neither begin a transaction nor stream', async () => {
      await expect(engine.read.transaction().execute(async () => {})).rejects.toThrow('engine.write');
    });

    test('closing waits for what is queued; afterwards writes are refused', async () => {
      const done: string[] = [];
      const works = ['a', 'b'].map((name) => engine.write(LANE, adding(name)).then(() => done.push(name)));
      const closed = Promise.all([engine.close(), engine.close()]);
      await expect(engine.write(LANE, adding('c'))).rejects.toThrow(Unavailable);
      await closed;
      expect(done).toEqual(['a', 'b']);
      await Promise.all(works);
    });
  });
}
