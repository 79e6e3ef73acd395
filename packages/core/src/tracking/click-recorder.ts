import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { OutcomeUnknown, type Transaction } from '../storage/engine/engine.ts';
import { type ClickOutcome, type ClickRequest, recordClicks } from './record-clicks.ts';

interface Pending {
  readonly request: ClickRequest;
  readonly resolve: (outcome: ClickOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

const MAX_BATCH = 500;

/**
 * Gathers clicks into batches without waiting: whatever has arrived by the time that the previous commit ends is
 * written together. Replies go out after the commit that made their click durable.
 */
export class ClickRecorder {
  readonly #runtime: Runtime;
  #waiting: Pending[] = [];
  #scheduled = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /**
   * How many wait is for the caller to bound.
   * @throws Unavailable when the database can't be used now
   */
  record(request: ClickRequest): Promise<ClickOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    let batch: Pending[] | undefined;
    this.#write(() => {
      // The work may run again after a lost connection: its clicks stay the same.
      if (!batch) {
        batch = this.#waiting.splice(0, MAX_BATCH);
        this.#scheduled = false;
        this.#schedule();
      }
      return batch;
    });
  }

  #write(take: () => readonly Pending[]): void {
    const { engine, randomBytes } = this.#runtime;
    const work = (tx: Transaction) =>
      recordClicks(
        tx,
        take().map((pending) => pending.request),
        randomBytes,
      );
    engine.write('clicks', work).then(
      (outcomes) => {
        for (const [index, pending] of take().entries()) {
          const outcome = outcomes[index];
          if (outcome) pending.resolve(outcome);
        }
      },
      (reason: unknown) => this.#recover(take(), reason),
    );
  }

  /**
   * A batch that failed is written click by click, so that one click can't fail its neighbours; but not one that may
   * be stored already, and not while the database can't be used at all.
   */
  #recover(batch: readonly Pending[], reason: unknown): void {
    const isFinal = reason instanceof OutcomeUnknown || reason instanceof Unavailable || batch.length === 1;
    for (const pending of batch) {
      if (isFinal) pending.reject(reason);
      else this.#write(() => [pending]);
    }
  }
}
