import { expect, test } from 'vitest';
import { OutcomeUnknown, type Transaction, Unavailable, type Work } from './engine.ts';
import { Lane, type Writer } from './lane.ts';
import { ConnectionLost } from './transient.ts';

interface Store {
  readonly lane: Lane;
  /** What is committed, one list a transaction. */
  readonly commits: string[][];
  /** Errors that the next transactions end with. */
  readonly faults: Error[];
  readonly events: string[];
  put(name: string): Work<string>;
}

/** A lane over a store in memory: its works say which names they add. */
function makeStore({ maxWorks = 50, maxQueue = 100 } = {}): Store {
  const commits: string[][] = [];
  const faults: Error[] = [];
  const events: string[] = [];
  let open: string[] = [];
  const transaction: Partial<Transaction> = {
    savepoint: async (step) => {
      const before = open.length;
      try {
        return await step();
      } catch (error) {
        open.length = before;
        throw error;
      }
    },
  };
  const writer: Writer = {
    transact: async (body) => {
      open = [];
      const result = await body(transaction as Transaction);
      const fault = faults.shift();
      if (fault) throw fault;
      commits.push(open);
      return result;
    },
    close: async () => {
      events.push('closed');
    },
  };
  return {
    lane: new Lane(writer, { maxWorks, maxQueue, pause: async (attempt) => events.push(`pause ${attempt}`) }),
    commits,
    faults,
    events,
    put: (name) => async () => {
      open.push(name);
      return name;
    },
  };
}

const lost = () => new ConnectionLost('lost');

test('works of one turn share a commit, up to the limit', async () => {
  const { lane, put, commits } = makeStore({ maxWorks: 2 });
  await Promise.all(['a', 'b', 'c'].map((name) => lane.write(put(name))));
  expect(commits).toEqual([['a', 'b'], ['c']]);
});

test('works that arrive during a commit share the next one', async () => {
  const { lane, put, commits } = makeStore();
  const later: Promise<string>[] = [];
  await lane.write(async (tx) => {
    for (const name of ['b', 'c']) later.push(lane.write(put(name)));
    return await put('a')(tx);
  });
  await Promise.all(later);
  expect(commits).toEqual([['a'], ['b', 'c']]);
});

test('one work more than the queue holds is refused, and only that one', async () => {
  const { lane, put, commits } = makeStore({ maxQueue: 2 });
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => lane.write(put(name))));
  expect(results).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'fulfilled', value: 'b' },
    { status: 'rejected', reason: expect.any(Unavailable) },
  ]);
  expect(commits).toEqual([['a', 'b']]);
});

test('a batch that fails as a whole is run again work by work', async () => {
  const { lane, put, commits, faults } = makeStore();
  faults.push(new Error('disk full'));
  await Promise.all(['a', 'b'].map((name) => lane.write(put(name))));
  expect(commits).toEqual([['a'], ['b']]);
});

test('a lone work that failed for good is not run again', async () => {
  const { lane, put, commits, faults, events } = makeStore();
  faults.push(new Error('disk full'));
  await expect(lane.write(put('a'))).rejects.toThrow('disk full');
  expect({ commits, events }).toEqual({ commits: [], events: [] });
});

test('a lone work that met a passing fault is run again, three times more at most', async () => {
  const { lane, put, commits, faults, events } = makeStore();
  faults.push(lost(), lost(), lost());
  await expect(lane.write(put('a'))).resolves.toBe('a');
  faults.push(lost(), lost(), lost(), lost());
  await expect(lane.write(put('b'))).rejects.toThrow('lost');
  expect({ commits, events }).toEqual({
    commits: [['a']],
    events: ['pause 1', 'pause 2', 'pause 1', 'pause 2'],
  });
});

test('a work that meets a passing fault does not spoil its neighbours', async () => {
  const { lane, put, commits } = makeStore();
  let runs = 0;
  const results = await Promise.all([
    lane.write(put('a')),
    lane.write(async (tx) => {
      runs += 1;
      if (runs === 1) throw lost();
      return await put('b')(tx);
    }),
    lane.write(put('c')),
  ]);
  expect({ results, runs, commits }).toEqual({
    results: ['a', 'b', 'c'],
    runs: 2,
    commits: [['a'], ['b'], ['c']],
  });
});

test.each([new OutcomeUnknown('unknown'), new Unavailable('away')])(
  'a batch that ends with %s is not run again',
  async (fault) => {
    const { lane, put, commits, faults } = makeStore();
    faults.push(fault);
    const results = await Promise.allSettled(['a', 'b'].map((name) => lane.write(put(name))));
    expect(results).toEqual([
      { status: 'rejected', reason: fault },
      { status: 'rejected', reason: fault },
    ]);
    expect(commits).toEqual([]);
  },
);

test('closing lets what is queued finish, closes the connection, and refuses what comes later', async () => {
  const { lane, put, commits, events } = makeStore();
  const queued = lane.write(put('a'));
  const closed = lane.close();
  await expect(lane.write(put('b'))).rejects.toThrow(Unavailable);
  await closed;
  expect({ commits, events }).toEqual({ commits: [['a']], events: ['closed'] });
  await expect(queued).resolves.toBe('a');
});
