import { Unavailable } from '../rejection.ts';
import { StaleCache } from '../storage/database/click-store.ts';
import { OutcomeUnknown, type Work } from '../storage/database/engine/engine.ts';
import { UniqueConflict } from '../storage/database/retry-on-conflict.ts';

export interface BatchRecorderOptions<Request, Outcome> {
  /**
   * Writes a batch, durably. @returns an outcome for each request, in their order
   * @param requests those of the batch, which is complete when it is asked for
   * @param size how many the batch has so far
   */
  readonly write: (
    work: Work<Outcome[]>,
    requests: () => readonly Request[],
    size: () => number,
  ) => Promise<Outcome[]>;
  /** Records a batch. It may be run again. @param attempt 1 for the first */
  readonly record: (
    ...call: [...Parameters<Work<Outcome[]>>, requests: readonly Request[], attempt: number]
  ) => Promise<Outcome[]>;
  readonly maxBatch: number;
  /** Called when a batch is full. @default nothing */
  readonly onFull?: () => void;
}

interface Pending<Request, Outcome> {
  readonly request: Request;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

const TRIES = 5;

/**
 * Gathers requests into batches without waiting: whatever has arrived by the time that the previous commit ends is
 * written together. Replies go out after the commit that made their request durable.
 */
export class BatchRecorder<Request, Outcome> {
  readonly #options: BatchRecorderOptions<Request, Outcome>;
  #waiting: Pending<Request, Outcome>[] = [];
  #scheduled = false;

  constructor(options: BatchRecorderOptions<Request, Outcome>) {
    this.#options = options;
  }

  /**
   * How many wait is for the caller to bound.
   * @throws Unavailable when the database can't be used now
   */
  record(request: Request): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#waiting.length >= this.#options.maxBatch) this.#options.onFull?.();
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    let batch: Pending<Request, Outcome>[] | undefined;
    const take = () => {
      // The work may run again after a lost connection: its requests stay the same.
      if (!batch) {
        batch = this.#waiting.splice(0, this.#options.maxBatch);
        this.#scheduled = false;
        this.#schedule();
      }
      return batch;
    };
    this.#write(take, () => batch?.length ?? Math.min(this.#waiting.length, this.#options.maxBatch));
  }

  #write(take: () => readonly Pending<Request, Outcome>[], size: () => number, attempt = 1): void {
    const { write, record } = this.#options;
    const requests = () => take().map((pending) => pending.request);
    write((tx) => record(tx, requests(), attempt), requests, size).then(
      (outcomes) => {
        for (const [index, pending] of take().entries()) {
          const outcome = outcomes[index];
          if (outcome === undefined) pending.reject(new Error('A request of the batch has no outcome'));
          else pending.resolve(outcome);
        }
      },
      (reason: unknown) => {
        if (reason instanceof StaleCache) this.#write(take, size, attempt + 1);
        else this.#recover(take(), reason, attempt);
      },
    );
  }

  /**
   * A batch that failed is written one by one, so that no request can fail its neighbours; but not one that may be
   * stored already, and not while the database can't be used at all.
   */
  #recover(batch: readonly Pending<Request, Outcome>[], reason: unknown, attempt: number): void {
    const isLate = reason instanceof UniqueConflict && attempt < TRIES;
    const isFinal =
      reason instanceof OutcomeUnknown || reason instanceof Unavailable || (batch.length === 1 && !isLate);
    for (const pending of batch) {
      if (isFinal) pending.reject(reason);
      else
        this.#write(
          () => [pending],
          () => 1,
          attempt + 1,
        );
    }
  }
}
