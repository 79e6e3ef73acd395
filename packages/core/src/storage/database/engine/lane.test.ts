import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../../rejection.ts';
import { OutcomeUnknown, type Transaction } from './engine.ts';
import { Lane, type LaneOptions, type Writer } from './lane.ts';
import { ConnectionLost } from './transient.ts';

/** A database that stores names. It records what was committed and which calls it received. */
class FakeWriter implements Writer {
  readonly stored: string[] = [];
  readonly log: string[] = [];
  /** The errors of the next commits, in order. A commit succeeds if its entry is `undefined` or missing. */
  readonly commitErrors: unknown[] = [];
  /** If set, every commit waits for this promise. */
  commitGate: Promise<void> | undefined;
  #pending: string[] = [];

  add(name: string): void {
    this.#pending.push(name);
  }

  async transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    this.log.push('begin');
    this.#pending = [];
    // The cast is safe because the lane uses no other member of a transaction.
    const tx = { savepoint: (step: () => Promise<unknown>) => this.#savepoint(step) } as Transaction;
    const result = await body(tx);
    const error = this.commitErrors.shift();
    await this.commitGate;
    if (error !== undefined) throw error;
    this.log.push('commit');
    this.stored.push(...this.#pending);
    return result;
  }

  async #savepoint<T>(step: () => Promise<T>): Promise<T> {
    this.log.push('savepoint');
    const before = this.#pending.length;
    try {
      return await step();
    } catch (error) {
      this.#pending.length = before;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.log.push('close');
  }
}

function makeLane(options: Partial<LaneOptions> = {}) {
  const writer = new FakeWriter();
  const retries: number[] = [];
  const backoff = async (attempt: number) => void retries.push(attempt);
  const lane = new Lane(writer, { maxBatchSize: 50, maxQueueSize: 100, backoff, ...options });
  const insert = (name: string) =>
    lane.write(async () => {
      writer.add(name);
      return name;
    });
  return { lane, writer, retries, insert };
}

function deadlock(): Error {
  return Object.assign(new Error('deadlock detected'), { code: '40P01' });
}

/** Runs all pending microtasks without ending the current turn of the event loop. */
async function runMicrotasks(): Promise<void> {
  for (let step = 0; step < 100; step++) await Promise.resolve();
}

const NAMES = ['a', 'b', 'c', 'd', 'e'];

describe('group commit', () => {
  test('uses one transaction for all units of work that arrive in one turn of the event loop', async () => {
    const { writer, insert } = makeLane();
    const fromOtherCallback = new Promise((resolve) => setImmediate(() => resolve(insert('b'))));
    expect(await Promise.all([insert('a'), fromOtherCallback])).toEqual(['a', 'b']);
    expect(writer.log).toEqual(['begin', 'savepoint', 'savepoint', 'commit']);
  });

  test('commits a single unit of work without a savepoint', async () => {
    const { writer, insert } = makeLane();
    await insert('a');
    expect(writer.log).toEqual(['begin', 'commit']);
  });

  test('adds units of work that arrive during a commit to the next transaction, and settles them after that transaction commits', async () => {
    const { writer, insert } = makeLane();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    writer.commitGate = gate;
    const settled: string[] = [];
    const first = insert('a').then((name) => settled.push(name));
    while (writer.log.length === 0) await nextTurn();
    const others = ['b', 'c'].map((name) => insert(name).then(() => settled.push(name)));
    await nextTurn();
    expect(settled).toEqual([]);
    open();
    await first;
    expect(settled).toEqual(['a']);
    await Promise.all(others);
    expect(writer.log).toEqual(['begin', 'commit', 'begin', 'savepoint', 'savepoint', 'commit']);
  });

  describe('when a unit of work arrives in each turn of the event loop', () => {
    async function countTransactions(options: Partial<LaneOptions>): Promise<number> {
      const { writer, insert } = makeLane(options);
      const works: Promise<string>[] = [];
      for (const name of NAMES) {
        const turn = nextTurn();
        works.push(insert(name));
        await turn;
      }
      expect(await Promise.all(works)).toEqual(NAMES);
      return writer.log.filter((entry) => entry === 'begin').length;
    }

    test('commits all units of work in one transaction', async () => {
      expect(await countTransactions({ maxGatherMs: 60_000 })).toBe(1);
    });

    test('begins the transaction after maxGatherMs', async () => {
      expect(await countTransactions({ maxGatherMs: 0 })).toBeGreaterThan(1);
    });

    test('begins the transaction when the batch is full', async () => {
      expect(await countTransactions({ maxGatherMs: 60_000, maxBatchSize: 2 })).toBeGreaterThan(1);
    });
  });

  test('flushNow begins the transaction in the current turn, or right after the running commit', async () => {
    const { lane, writer, insert } = makeLane({ maxGatherMs: 60_000 });
    const works = [insert('a')];
    await runMicrotasks();
    expect(writer.stored).toEqual([]);
    lane.flushNow();
    await runMicrotasks();
    expect(writer.stored).toEqual(['a']);

    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    writer.commitGate = gate;
    works.push(insert('b'));
    lane.flushNow();
    await runMicrotasks();
    works.push(insert('c'));
    lane.flushNow();
    open();
    await runMicrotasks();
    expect(writer.stored).toEqual(['a', 'b', 'c']);

    // A flush affects one transaction only.
    works.push(insert('d'));
    await runMicrotasks();
    expect(writer.stored).toEqual(['a', 'b', 'c']);
    await Promise.all(works);
    expect(writer.stored).toEqual(['a', 'b', 'c', 'd']);
  });

  test('begins no transaction while a queued unit of work still collects requests', async () => {
    const { lane, writer } = makeLane({ maxGatherMs: 60_000 });
    let requests = 1;
    let turn = nextTurn();
    const all = lane.write(
      async () => writer.add(`${requests} requests`),
      () => [],
      () => requests,
    );
    while (requests < 4) {
      await turn;
      turn = nextTurn();
      requests += 1;
    }
    await all;
    expect(writer.stored).toEqual(['4 requests']);
  });

  test('puts at most maxBatchSize units of work into a transaction', async () => {
    const { writer, insert } = makeLane({ maxBatchSize: 2 });
    await Promise.all(NAMES.map(insert));
    expect(writer.stored).toEqual(NAMES);
    expect(writer.log.filter((entry) => entry === 'begin')).toHaveLength(3);
  });

  test('runs units of work strictly one after the other', async () => {
    const { lane } = makeLane();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} starts`);
      await nextTurn();
      steps.push(`${name} ends`);
    };
    await Promise.all([lane.write(work('a')), lane.write(work('b'))]);
    expect(steps).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
  });
});

describe('failures', () => {
  test.each(NAMES.map((_, position) => position))(
    'rolls back only the unit of work that fails at position %i',
    async (position) => {
      const { lane, writer, insert } = makeLane();
      const failure = new Error('no such program');
      const outcomes = await Promise.allSettled(
        NAMES.map((name, index) =>
          index === position
            ? lane.write(async () => {
                writer.add(name);
                throw failure;
              })
            : insert(name),
        ),
      );
      expect(outcomes).toEqual(
        NAMES.map((name, index) =>
          index === position ? { status: 'rejected', reason: failure } : { status: 'fulfilled', value: name },
        ),
      );
      expect(writer.stored).toEqual(NAMES.filter((_, index) => index !== position));
      expect(writer.log.filter((entry) => entry === 'begin')).toHaveLength(1);
    },
  );

  test.each(NAMES.map((_, position) => position))(
    'runs all units of work again after a deadlock at position %i',
    async (position) => {
      const { lane, writer } = makeLane();
      let failed = false;
      const outcomes = await Promise.all(
        NAMES.map((name, index) =>
          lane.write(async () => {
            writer.add(name);
            if (index === position && !failed) {
              failed = true;
              throw deadlock();
            }
            return name;
          }),
        ),
      );
      expect(outcomes).toEqual(NAMES);
      expect(writer.stored).toEqual(NAMES);
    },
  );

  test('rejects a failing unit of work only after the commit of its batch', async () => {
    const { lane, writer, insert } = makeLane();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    writer.commitGate = gate;
    let isSettled = false;
    const failing = lane.write(() => Promise.reject(new Error('no such program')));
    failing.catch(() => {
      isSettled = true;
    });
    const other = insert('a');
    while (writer.log.length < 3) await nextTurn();
    await nextTurn();
    expect(isSettled).toBe(false);
    open();
    await expect(failing).rejects.toThrow('no such program');
    await other;
  });

  test('runs a batch again when its commit fails, and returns the results of the run that was committed', async () => {
    const { lane, writer } = makeLane();
    writer.commitErrors.push(new Error('disk full'));
    let runs = 0;
    const outcomes = await Promise.all(
      ['a', 'b'].map((name) =>
        lane.write(async () => {
          writer.add(name);
          runs += 1;
          return runs;
        }),
      ),
    );
    expect(outcomes).toEqual([3, 4]);
    expect(writer.stored).toEqual(['a', 'b']);
  });

  test('retries each unit of work separately when the commit of a batch fails, and rejects only the one that fails again', async () => {
    const { writer, insert } = makeLane();
    const failure = new Error('disk full');
    writer.commitErrors.push(failure, undefined, failure, undefined);
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(insert));
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(writer.stored).toEqual(['a', 'c']);
  });

  test('retries three times after a transient error, with backoff between the retries', async () => {
    const { writer, retries, insert } = makeLane();
    writer.commitErrors.push(deadlock(), deadlock(), deadlock());
    await expect(insert('a')).resolves.toBe('a');
    expect(retries).toEqual([1, 2]);
    writer.commitErrors.push(deadlock(), deadlock(), deadlock(), deadlock());
    await expect(insert('b')).rejects.toThrow('deadlock detected');
    expect(writer.stored).toEqual(['a']);
  });

  test('rejects only the unit of work that loses the connection in every attempt, and commits the others', async () => {
    const { lane, writer, insert } = makeLane();
    const losing = lane.write(() => Promise.reject(new ConnectionLost('lost')));
    const outcomes = await Promise.allSettled([insert('a'), losing, insert('b')]);
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: expect.any(Unavailable) },
      { status: 'fulfilled', value: 'b' },
    ]);
    expect(writer.stored).toEqual(['a', 'b']);
  });

  test('does not retry a single unit of work that throws', async () => {
    const { lane } = makeLane();
    let runs = 0;
    const failing = lane.write(async () => {
      runs += 1;
      throw new Error('no such program');
    });
    await expect(failing).rejects.toThrow('no such program');
    expect(runs).toBe(1);
  });

  test.each([
    ['the database is unavailable', new Unavailable('locked')],
    ['the commit outcome is unknown', new OutcomeUnknown('lost')],
  ])('rejects the whole batch without a retry when %s', async (_case, failure) => {
    const { writer, insert } = makeLane();
    writer.commitErrors.push(failure);
    const outcomes = await Promise.allSettled(NAMES.map(insert));
    expect(outcomes).toEqual(NAMES.map(() => ({ status: 'rejected', reason: failure })));
    expect(writer.log.filter((entry) => entry === 'begin')).toHaveLength(1);
    await expect(insert('later')).resolves.toBe('later');
  });
});

describe('limits', () => {
  test('rejects a unit of work without running it when the queue is full', async () => {
    const { writer, insert } = makeLane({ maxQueueSize: 2 });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(insert));
    expect(outcomes[2]).toEqual({ status: 'rejected', reason: expect.any(Unavailable) });
    expect(writer.stored).toEqual(['a', 'b']);
    await expect(insert('d')).resolves.toBe('d');
  });

  test('close finishes queued units of work, closes the connection, and rejects later units of work', async () => {
    const { lane, writer, insert } = makeLane({ maxBatchSize: 1 });
    const queued = ['a', 'b'].map(insert);
    const closed = lane.close();
    await expect(insert('late')).rejects.toThrow(Unavailable);
    await closed;
    expect(await Promise.all(queued)).toEqual(['a', 'b']);
    expect(writer.log).toEqual(['begin', 'commit', 'begin', 'commit', 'close']);
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
