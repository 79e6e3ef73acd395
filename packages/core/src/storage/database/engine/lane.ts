import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../../rejection.ts';
import { OutcomeUnknown, type Transaction, type Work } from './engine.ts';
import { isConnectionFailure, isTransient } from './transient.ts';

/** A connection that runs write transactions, one at a time. */
export interface Writer {
  /**
   * Runs `body` in a transaction. After the commit is durable, the promise resolves with the result. If it
   * rejects, nothing is stored, unless the error is an `OutcomeUnknown`. `body` may run more than once.
   * @param lockKeys advisory locks to hold until the transaction ends, in ascending order. Transactions with
   * a common key never overlap, even in different processes.
   */
  transact<T>(body: (tx: Transaction) => Promise<T>, lockKeys: readonly number[]): Promise<T>;
  close(): Promise<void>;
}

export interface LaneOptions {
  /** The maximum number of units of work in one transaction. */
  readonly maxBatchSize: number;
  /** The maximum number of queued units of work. When the queue is full, writes reject with `Unavailable`. */
  readonly maxQueueSize: number;
  /** Waits before a retry. `attempt` starts at 1. @default a random delay of up to 20, 40, 80 ms */
  readonly backoff?: (attempt: number) => Promise<unknown>;
  /**
   * The maximum time in milliseconds that a transaction waits for more units of work before it begins.
   * @default 3
   */
  readonly maxGatherMs?: number;
}

type WorkOutcome = { readonly value: unknown } | { readonly error: unknown };

interface QueuedWork {
  readonly work: Work<unknown>;
  readonly lockKeys: () => readonly number[];
  readonly size: () => number;
  readonly settle: (outcome: WorkOutcome) => void;
}

const MAX_TRANSACTION_ATTEMPTS = 3;
const MAX_GATHER_MS = 3;
const CONNECTION_LOST = 'The connection to the database was lost in every attempt';

/**
 * A write queue with group commit. Units of work that arrive during a commit share the next transaction, each
 * in its own savepoint. They run one after another, and settle when the outcome of the transaction is known.
 *
 * A transaction begins as soon as one turn of the event loop brings no new write. A single write therefore
 * does not wait for others, and writes in consecutive turns share a commit.
 */
export class Lane {
  readonly #writer: Writer;
  readonly #options: LaneOptions;
  #queue: QueuedWork[] = [];
  #draining: Promise<void> | undefined;
  #isFlushRequested = false;
  #endTurn: (() => void) | undefined;
  #isClosed = false;

  constructor(writer: Writer, options: LaneOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  /**
   * @param lockKeys called when the transaction begins; returns the advisory locks of this unit of work.
   * @default none
   * @param size returns the number of requests that the unit of work contains so far. @default 1
   */
  write<T>(
    work: Work<T>,
    lockKeys: () => readonly number[] = () => [],
    size: () => number = () => 1,
  ): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Unavailable('The database is closed'));
    if (this.#queue.length >= this.#options.maxQueueSize) {
      return Promise.reject(
        new Unavailable(`The write queue is full: ${this.#queue.length} writes are waiting`),
      );
    }
    return new Promise<T>((resolve, reject) => {
      const settle = (outcome: WorkOutcome) =>
        // The cast is safe because each item settles its own promise with its own result.
        'error' in outcome ? reject(outcome.error) : resolve(outcome.value as T);
      this.#queue.push({ work, lockKeys, size, settle });
      this.#draining ??= this.#drain();
    });
  }

  /** The number of units of work that wait for a transaction. */
  get queueSize(): number {
    return this.#queue.length;
  }

  /** Starts the next transaction immediately, with the units of work that are already queued. */
  flushNow(): void {
    this.#isFlushRequested = true;
    this.#endTurn?.();
  }

  /** Finishes all queued units of work, then closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
    await this.#writer.close();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      const batch = this.#queue.splice(0, this.#options.maxBatchSize);
      await this.#commit(batch);
    }
    this.#draining = undefined;
  }

  /** Waits until a turn of the event loop brings no new write. */
  async #gather(): Promise<void> {
    const { maxBatchSize, maxGatherMs = MAX_GATHER_MS } = this.#options;
    const deadline = performance.now() + maxGatherMs;
    while (!this.#isFlushRequested) {
      const before = this.#requestCount();
      await new Promise<void>((resolve) => {
        this.#endTurn = resolve;
        setImmediate(resolve);
      });
      const hasGrown = this.#requestCount() > before;
      if (!hasGrown || this.#queue.length >= maxBatchSize || performance.now() >= deadline) break;
    }
    this.#isFlushRequested = false;
  }

  #requestCount(): number {
    return this.#queue.reduce((sum, { size }) => sum + size(), 0);
  }

  async #commit(batch: readonly QueuedWork[]): Promise<void> {
    let outcomes: readonly WorkOutcome[];
    try {
      outcomes = await this.#writer.transact((tx) => runBatch(tx, batch), lockKeysOf(batch));
    } catch (error) {
      await this.#commitOneByOne(batch, error);
      return;
    }
    for (const [index, item] of batch.entries()) {
      item.settle(outcomes[index] ?? { error: new Error('A unit of work of the batch has no outcome') });
    }
  }

  /**
   * Runs each unit of work of a failed batch in its own transaction, because the failure may be due to only
   * one of them. If the batch has a single unit of work, it is retried only after a transient error.
   */
  async #commitOneByOne(batch: readonly QueuedWork[], error: unknown): Promise<void> {
    // After `Unavailable`, a retry would fail too. After `OutcomeUnknown`, the batch may be stored, so it
    // must not run again.
    const isFinal = error instanceof Unavailable || error instanceof OutcomeUnknown;
    let failure = isFinal || (batch.length === 1 && !isTransient(error)) ? error : undefined;
    for (const work of batch) {
      const outcome = failure === undefined ? await this.#commitAlone(work) : { error: failure };
      // If the database cannot be reached, reject the remaining units of work too, because each would wait for
      // the same timeout.
      if ('error' in outcome && outcome.error instanceof Unavailable) failure = outcome.error;
      work.settle(
        isConnectionLost(outcome)
          ? { error: new Unavailable(CONNECTION_LOST, { cause: outcome.error }) }
          : outcome,
      );
    }
  }

  async #commitAlone(item: QueuedWork): Promise<WorkOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return { value: await this.#writer.transact(item.work, lockKeysOf([item])) };
      } catch (error) {
        if (attempt === MAX_TRANSACTION_ATTEMPTS || !isTransient(error)) return { error };
        await (this.#options.backoff ?? randomBackoff)(attempt);
      }
    }
  }
}

/** Returns the keys in ascending order, so that transactions cannot deadlock. */
function lockKeysOf(batch: readonly QueuedWork[]): number[] {
  const keys = new Set(batch.flatMap(({ lockKeys }) => lockKeys()));
  return [...keys].sort((a, b) => a - b);
}

/**
 * Runs the units of work of a batch. If one of them fails, only its changes are rolled back. If the database
 * fails, the whole batch fails.
 */
async function runBatch(tx: Transaction, batch: readonly QueuedWork[]): Promise<WorkOutcome[]> {
  const [only] = batch;
  if (only && batch.length === 1) return [{ value: await only.work(tx) }];
  const outcomes: WorkOutcome[] = [];
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

function isConnectionLost(outcome: WorkOutcome): outcome is { readonly error: unknown } {
  return 'error' in outcome && isConnectionFailure(outcome.error);
}

function randomBackoff(attempt: number): Promise<unknown> {
  return sleep(Math.random() * 10 * 2 ** attempt);
}
