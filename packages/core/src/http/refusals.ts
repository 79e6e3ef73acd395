import type { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';

const PAUSE_MS = 5_000;

/** Tells the operator why requests are answered 503: at once, then every few seconds, for there may be thousands. */
export class Refusals {
  readonly #runtime: Pick<Runtime, 'log' | 'now'>;
  #untold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(runtime: Pick<Runtime, 'log' | 'now'>) {
    this.#runtime = runtime;
  }

  report(reason: Unavailable): void {
    this.#untold += 1;
    const now = this.#runtime.now();
    if (now >= this.#toldAt && now - this.#toldAt < PAUSE_MS) return;
    this.#runtime.log.warn({ err: reason, requests: this.#untold }, `answered 503: ${reason.message}`);
    this.#untold = 0;
    this.#toldAt = now;
  }
}
