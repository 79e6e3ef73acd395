import { Unavailable } from '../rejection.ts';
import { StaleCache } from '../storage/database/click-store.ts';
import { OutcomeUnknown, type Work } from '../storage/database/engine/engine.ts';
import { UniqueConflict } from '../storage/database/retry-on-conflict.ts';

export interface BatcherOptions<Request, Outcome> {
  /**
   * Runs `work` in a durable transaction.
   * @param requests returns the requests of the batch; the first call closes the batch
   * @param size returns the current number of requests without closing the batch
   * @returns an outcome for each request, in order
   */
  readonly write: (
    work: Work<Outcome[]>,
    requests: () => readonly Request[],
    size: () => number,
  ) => Promise<Outcome[]>;
  /**
   * Records a batch in a transaction. May be called more than once for the same batch.
   * @param attempt 1 for the first attempt
   * @returns an outcome for each request, in order
   */
  readonly record: (
    ...call: [...Parameters<Work<Outcome[]>>, requests: readonly Request[], attempt: number]
  ) => Promise<Outcome[]>;
  readonly maxBatch: number;
  /** Called synchronously when a request is added to the queue. @default does nothing */
  readonly onQueued?: ((request: Request) => void) | undefined;
  /** Called when enough requests are queued to fill a batch. @default does nothing */
  readonly onFull?: () => void;
}

interface PendingRequest<Request, Outcome> {
  readonly request: Request;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

interface Batch<Request, Outcome> {
  /** Returns the requests of the batch. The first call removes them from the queue. */
  take(): readonly PendingRequest<Request, Outcome>[];
  size(): number;
}

const MAX_BATCH_ATTEMPTS = 5;

/**
 * Writes requests in batches without a timer. Requests that arrive while the previous batch commits share the
 * next commit. The promise of `record` resolves only when its request is durable.
 */
export class Batcher<Request, Outcome> {
  readonly #options: BatcherOptions<Request, Outcome>;
  readonly #queue: PendingRequest<Request, Outcome>[] = [];
  #isScheduled = false;

  constructor(options: BatcherOptions<Request, Outcome>) {
    this.#options = options;
  }

  /**
   * Queues a request. The queue is unbounded; callers must apply backpressure.
   * @throws Unavailable when the database cannot be used
   */
  record(request: Request): Promise<Outcome> {
    this.#options.onQueued?.(request);
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#queue.length >= this.#options.maxBatch) this.#options.onFull?.();
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    this.#write(this.#nextBatch());
  }

  #nextBatch(): Batch<Request, Outcome> {
    const { maxBatch } = this.#options;
    let taken: PendingRequest<Request, Outcome>[] | undefined;
    return {
      take: () => {
        // If the connection is lost, the work runs again. The second run must get the same requests.
        if (!taken) {
          taken = this.#queue.splice(0, maxBatch);
          this.#isScheduled = false;
          this.#schedule();
        }
        return taken;
      },
      size: () => taken?.length ?? Math.min(this.#queue.length, maxBatch),
    };
  }

  #write(batch: Batch<Request, Outcome>, attempt = 1): void {
    const { write, record } = this.#options;
    const requests = () => batch.take().map((pending) => pending.request);
    write(
      (tx) => record(tx, requests(), attempt),
      requests,
      () => batch.size(),
    ).then(
      (outcomes) => {
        for (const [index, pending] of batch.take().entries()) {
          const outcome = outcomes[index];
          if (outcome === undefined) pending.reject(new Error('A request of the batch has no outcome'));
          else pending.resolve(outcome);
        }
      },
      (reason: unknown) => {
        if (reason instanceof StaleCache) this.#write(batch, attempt + 1);
        else this.#recover(batch.take(), reason, attempt);
      },
    );
  }

  /**
   * Retries each request of a failed batch in a batch of its own, so that one request cannot fail the others.
   * A batch of one request is also retried once, or several times after a `UniqueConflict`. Unlike the first attempt,
   * a retry records the request even if the totals cannot be updated. Requests are not retried if they may already be
   * stored, or if the database cannot be used.
   */
  #recover(batch: readonly PendingRequest<Request, Outcome>[], reason: unknown, attempt: number): void {
    const isConflict = reason instanceof UniqueConflict && attempt < MAX_BATCH_ATTEMPTS;
    const isFinal =
      reason instanceof OutcomeUnknown ||
      reason instanceof Unavailable ||
      (batch.length === 1 && attempt > 1 && !isConflict);
    for (const pending of batch) {
      if (isFinal) pending.reject(reason);
      else this.#write({ take: () => [pending], size: () => 1 }, attempt + 1);
    }
  }
}
