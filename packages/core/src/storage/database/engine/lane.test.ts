import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../../rejection.ts';
import { OutcomeUnknown, type Transaction } from './engine.ts';
import { Lane, type LaneOptions, type Writer } from './lane.ts';
import { ConnectionLost } from './transient.ts';

/** A database of names: keeps what was committed, and what was asked of it. */
class FakeWriter implements Writer {
  readonly stored: string[] = [];
  readonly log: string[] = [];
  /** What the next commits come to, in their order; all others succeed. */
  readonly commitFaults: unknown[] = [];
  /** While set, a commit waits for it. */
  commitGate: Promise<void> | undefined;
  #pending: string[] = [];

  add(name: string): void {
    this.#pending.push(name);
  }

  async transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    this.log.push('begin');
    this.#pending = [];
    // The lane uses nothing else of a transaction.
    const tx = { savepoint: (step: () => Promise<unknown>) => this.#savepoint(step) } as Transaction;
    const result = await body(tx);
    const fault = this.commitFaults.shift();
    await this.commitGate;
    if (fault !== undefined) throw fault;
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
  const pauses: number[] = [];
  const pause = async (attempt: number) => void pauses.push(attempt);
  const lane = new Lane(writer, { maxWorks: 50, maxQueue: 100, pause, ...options });
  const insert = (name: string) =>
    lane.write(async () => {
      writer.add(name);
      return name;
    });
  return { lane, writer, pauses, insert };
}

function deadlock(): Error {
  return Object.assign(new Error('deadlock detected'), { code: '40P01' });
}

/** Whatever needs no further turn of the event loop happens meanwhile. */
async function withinTheTurn(): Promise<void> {
  for (let step = 0; step < 100; step++) await Promise.resolve();
}

const NAMES = ['a', 'b', 'c', 'd', 'e'];

describe('group commit', () => {
  test('works that are ready in one turn of the event loop share a transaction', async () => {
    const { writer, insert } = makeLane();
    const fromOtherCallback = new Promise((resolve) => setImmediate(() => resolve(insert('b'))));
    expect(await Promise.all([insert('a'), fromOtherCallback])).toEqual(['a', 'b']);
    expect(writer.log).toEqual(['begin', 'savepoint', 'savepoint', 'commit']);
  });

  test('a lone work has a transaction of its own, without a savepoint', async () => {
    const { writer, insert } = makeLane();
    await insert('a');
    expect(writer.log).toEqual(['begin', 'commit']);
  });

  test('what arrives during a commit goes into the next one, and is answered after it', async () => {
    const { writer, insert } = makeLane();
    let open = () => {};
    writer.commitGate = new Promise((resolve) => {
      open = resolve;
    });
    const answered: string[] = [];
    const first = insert('a').then((name) => answered.push(name));
    while (writer.log.length === 0) await nextTurn();
    const others = ['b', 'c'].map((name) => insert(name).then(() => answered.push(name)));
    await nextTurn();
    expect(answered).toEqual([]);
    open();
    await first;
    expect(answered).toEqual(['a']);
    await Promise.all(others);
    expect(writer.log).toEqual(['begin', 'commit', 'begin', 'savepoint', 'savepoint', 'commit']);
  });

  describe('where each turn of the event loop brings a work', () => {
    /** How many transactions the works take. */
    async function transactionsOf(options: Partial<LaneOptions>): Promise<number> {
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

    test('they share a transaction', async () => {
      expect(await transactionsOf({ gatherMs: 60_000 })).toBe(1);
    });

    test('the first does not wait for long', async () => {
      expect(await transactionsOf({ gatherMs: 0 })).toBeGreaterThan(1);
    });

    test('nor for more works than a transaction takes', async () => {
      expect(await transactionsOf({ gatherMs: 60_000, maxWorks: 2 })).toBeGreaterThan(1);
    });
  });

  test('in a hurry begins before the turn is over, also where it was told so during a commit', async () => {
    const { lane, writer, insert } = makeLane({ gatherMs: 60_000 });
    const works = [insert('a')];
    await withinTheTurn();
    expect(writer.stored).toEqual([]);
    lane.flushNow();
    await withinTheTurn();
    expect(writer.stored).toEqual(['a']);

    let open = () => {};
    writer.commitGate = new Promise((resolve) => {
      open = resolve;
    });
    works.push(insert('b'));
    lane.flushNow();
    await withinTheTurn();
    works.push(insert('c'));
    lane.flushNow();
    open();
    await withinTheTurn();
    expect(writer.stored).toEqual(['a', 'b', 'c']);

    // The next one is in no hurry.
    works.push(insert('d'));
    await withinTheTurn();
    expect(writer.stored).toEqual(['a', 'b', 'c']);
    await Promise.all(works);
    expect(writer.stored).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a work that grows is waited for', async () => {
    const { lane, writer } = makeLane({ gatherMs: 60_000 });
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

  test('a transaction takes no more works than it may', async () => {
    const { writer, insert } = makeLane({ maxWorks: 2 });
    await Promise.all(NAMES.map(insert));
    expect(writer.stored).toEqual(NAMES);
    expect(writer.log.filter((entry) => entry === 'begin')).toHaveLength(3);
  });

  test('works run strictly one after the other', async () => {
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
    'a work that fails at position %i is undone alone',
    async (position) => {
      const { lane, writer, insert } = makeLane();
      const fault = new Error('no such program');
      const outcomes = await Promise.allSettled(
        NAMES.map((name, index) =>
          index === position
            ? lane.write(async () => {
                writer.add(name);
                throw fault;
              })
            : insert(name),
        ),
      );
      expect(outcomes).toEqual(
        NAMES.map((name, index) =>
          index === position ? { status: 'rejected', reason: fault } : { status: 'fulfilled', value: name },
        ),
      );
      expect(writer.stored).toEqual(NAMES.filter((_, index) => index !== position));
      expect(writer.log.filter((entry) => entry === 'begin')).toHaveLength(1);
    },
  );

  test.each(NAMES.map((_, position) => position))(
    'a deadlock at position %i runs all works again',
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

  test('a failing work is not answered before the fate of its batch is known', async () => {
    const { lane, writer, insert } = makeLane();
    let open = () => {};
    writer.commitGate = new Promise((resolve) => {
      open = resolve;
    });
    let answered = false;
    const failing = lane.write(() => Promise.reject(new Error('no such program')));
    failing.catch(() => {
      answered = true;
    });
    const other = insert('a');
    while (writer.log.length < 3) await nextTurn();
    await nextTurn();
    expect(answered).toBe(false);
    open();
    await expect(failing).rejects.toThrow('no such program');
    await other;
  });

  test('a batch whose commit fails is run again, and answers come from the run that was stored', async () => {
    const { lane, writer } = makeLane();
    writer.commitFaults.push(new Error('disk full'));
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

  test('of a batch whose commit fails, only the work that fails again is refused', async () => {
    const { writer, insert } = makeLane();
    const fault = new Error('disk full');
    writer.commitFaults.push(fault, undefined, fault, undefined);
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(insert));
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: fault },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(writer.stored).toEqual(['a', 'c']);
  });

  test('a passing fault is tried three times more, with a pause before each further try', async () => {
    const { writer, pauses, insert } = makeLane();
    writer.commitFaults.push(deadlock(), deadlock(), deadlock());
    await expect(insert('a')).resolves.toBe('a');
    expect(pauses).toEqual([1, 2]);
    writer.commitFaults.push(deadlock(), deadlock(), deadlock(), deadlock());
    await expect(insert('b')).rejects.toThrow('deadlock detected');
    expect(writer.stored).toEqual(['a']);
  });

  test('a work whose connection breaks each time is refused as unavailable, its neighbours are not', async () => {
    const { lane, writer, insert } = makeLane();
    const breaking = lane.write(() => Promise.reject(new ConnectionLost('lost')));
    const outcomes = await Promise.allSettled([insert('a'), breaking, insert('b')]);
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: expect.any(Unavailable) },
      { status: 'fulfilled', value: 'b' },
    ]);
    expect(writer.stored).toEqual(['a', 'b']);
  });

  test('a lone work that fails by its own fault is not run again', async () => {
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
    ['the database is out of reach', new Unavailable('locked')],
    ['nobody knows whether it was committed', new OutcomeUnknown('lost')],
  ])('where %s, the whole batch is refused without further tries', async (_case, fault) => {
    const { writer, insert } = makeLane();
    writer.commitFaults.push(fault);
    const outcomes = await Promise.allSettled(NAMES.map(insert));
    expect(outcomes).toEqual(NAMES.map(() => ({ status: 'rejected', reason: fault })));
    expect(writer.log.filter((entry) => entry === 'begin')).toHaveLength(1);
    await expect(insert('later')).resolves.toBe('later');
  });
});

describe('limits', () => {
  test('a work over the limit of the queue is refused and never run', async () => {
    const { writer, insert } = makeLane({ maxQueue: 2 });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(insert));
    expect(outcomes[2]).toEqual({ status: 'rejected', reason: expect.any(Unavailable) });
    expect(writer.stored).toEqual(['a', 'b']);
    await expect(insert('d')).resolves.toBe('d');
  });

  test('close finishes what is queued, closes the connection, and refuses what comes later', async () => {
    const { lane, writer, insert } = makeLane({ maxWorks: 1 });
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
