import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../../rejection.ts';
import { OutcomeUnknown, type Transaction, type Work } from './engine.ts';
import { ConnectionLost, isTransient } from './transient.ts';

/** One connection that writes. */
export interface Writer {
  /**
   * Runs `body` in a transaction and fulfils with its result once the database says that it is durable.
   * Rejects only when nothing of it is stored, or with `OutcomeUnknown`. `body` may be run again.
   * @param keys in ascending order: of two transactions with a common key, also in different processes, one waits
   */
  transact<T>(body: (tx: Transaction) => Promise<T>, keys: readonly number[]): Promise<T>;
  close(): Promise<void>;
}

export interface LaneOptions {
  /** Most works of one transaction. */
  readonly maxWorks: number;
  /** Most works that wait; one more is refused. */
  readonly maxQueue: number;
  /** Waits before a further try; given for tests. @default up to 20, 40, 80 ms by chance */
  readonly pause?: (attempt: number) => Promise<unknown>;
  /** For how long a transaction waits at most while more works arrive, in ms. @default 3 */
  readonly gatherMs?: number;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface Item {
  readonly work: Work<unknown>;
  readonly keys: () => readonly number[];
  readonly size: () => number;
  readonly settle: (outcome: Outcome) => void;
}

const TRIES = 3;
const GATHER_MS = 3;
const LOST = 'The connection to the database broke each time';

/**
 * Group commit: works that arrive while a commit is under way share the next transaction, each in a savepoint of
 * its own. It begins in the first turn of the event loop that brings nothing new: a lone work waits for nobody, and many
 * that come one after the other don't wait for a commit each. Works run strictly one after the other, and each is settled
 * only after the fate of its transaction is known.
 */
export class Lane {
  readonly #writer: Writer;
  readonly #options: LaneOptions;
  #queue: Item[] = [];
  #draining: Promise<void> | undefined;
  #isHurried = false;
  #endTurn: (() => void) | undefined;
  #closed = false;

  constructor(writer: Writer, options: LaneOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  /**
   * @param keys works with a common one wait for each other, also those of other processes; asked when the work begins.
   *   @default none
   * @param size how many requests it answers. @default 1
   */
  write<T>(
    work: Work<T>,
    keys: () => readonly number[] = () => [],
    size: () => number = () => 1,
  ): Promise<T> {
    if (this.#closed) return Promise.reject(new Unavailable('The database is closed'));
    if (this.#queue.length >= this.#options.maxQueue) {
      return Promise.reject(new Unavailable(`${this.#queue.length} writes are waiting already`));
    }
    return new Promise<T>((resolve, reject) => {
      const settle = (outcome: Outcome) =>
        // The queue holds works of many types; each item settles its own promise with its own work's value.
        'error' in outcome ? reject(outcome.error) : resolve(outcome.value as T);
      this.#queue.push({ work, keys, size, settle });
      this.#draining ??= this.#drain();
    });
  }

  /** Has the next transaction wait for nothing more: what is queued is enough for it. */
  flushNow(): void {
    this.#isHurried = true;
    this.#endTurn?.();
  }

  /** Finishes what is queued, then closes the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    await this.#writer.close();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      const batch = this.#queue.splice(0, this.#options.maxWorks);
      await this.#commit(batch);
    }
    this.#draining = undefined;
  }

  /** Waits while each turn of the event loop brings more. */
  async #gather(): Promise<void> {
    const { maxWorks, gatherMs = GATHER_MS } = this.#options;
    const end = performance.now() + gatherMs;
    while (!this.#isHurried) {
      const size = this.#size();
      await new Promise<void>((resolve) => {
        this.#endTurn = resolve;
        setImmediate(resolve);
      });
      if (this.#size() <= size || this.#queue.length >= maxWorks || performance.now() >= end) break;
    }
    this.#isHurried = false;
  }

  #size(): number {
    return this.#queue.reduce((sum, { size }) => sum + size(), 0);
  }

  async #commit(batch: readonly Item[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      outcomes = await this.#writer.transact((tx) => runTogether(tx, batch), keysOf(batch));
    } catch (error) {
      await this.#commitOneByOne(batch, error);
      return;
    }
    for (const [index, item] of batch.entries()) {
      item.settle(outcomes[index] ?? { error: new Error('A work of the batch has no outcome') });
    }
  }

  /** What a batch of several fails by may be the fault of one; a lone work fails by its own. */
  async #commitOneByOne(batch: readonly Item[], reason: unknown): Promise<void> {
    let refusal = batch.length > 1 || isTransient(reason) ? undefined : reason;
    // An unknown outcome may be a commit.
    if (reason instanceof Unavailable || reason instanceof OutcomeUnknown) refusal = reason;
    for (const item of batch) {
      const outcome = refusal === undefined ? await this.#commitAlone(item) : { error: refusal };
      // Where the database can't be reached at all, each further work would wait as long in vain.
      if ('error' in outcome && outcome.error instanceof Unavailable) refusal = outcome.error;
      item.settle(isLoss(outcome) ? { error: new Unavailable(LOST, { cause: outcome.error }) } : outcome);
    }
  }

  async #commitAlone(item: Item): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return { value: await this.#writer.transact(item.work, keysOf([item])) };
      } catch (error) {
        if (attempt === TRIES || !isTransient(error)) return { error };
        await (this.#options.pause ?? pauseByChance)(attempt);
      }
    }
  }
}

function keysOf(batch: readonly Item[]): number[] {
  const all = new Set(batch.flatMap(({ keys }) => keys()));
  return [...all].sort((a, b) => a - b);
}

/** A work that fails is undone alone; a fault of the database itself fails the batch as a whole. */
async function runTogether(tx: Transaction, batch: readonly Item[]): Promise<Outcome[]> {
  const [only] = batch;
  if (only && batch.length === 1) return [{ value: await only.work(tx) }];
  const outcomes: Outcome[] = [];
  for (const { work } of batch) {
    try {
      outcomes.push({ value: await tx.savepoint(() => work(tx)) });
    } catch (error) {
      if (isTransient(error) || error instanceof Unavailable) throw error;
      outcomes.push({ error });
    }
  }
  return outcomes;
}

function isLoss(outcome: Outcome): outcome is { readonly error: ConnectionLost } {
  return 'error' in outcome && outcome.error instanceof ConnectionLost;
}

function pauseByChance(attempt: number): Promise<unknown> {
  return sleep(Math.random() * 10 * 2 ** attempt);
}
