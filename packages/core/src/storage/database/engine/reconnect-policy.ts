import { setTimeout as sleep } from 'node:timers/promises';

const MAX_PAUSE_MS = 250;

/**
 * Bears with a server that is away, for a while: long enough for a restart. Once that while has passed, each call
 * tries once until one succeeds, so that what has queued up is refused at once.
 */
export class ReconnectPolicy {
  readonly #timeoutMs: number;
  #awaySince: number | undefined;

  constructor(patienceMs: number) {
    this.#timeoutMs = patienceMs;
  }

  /** @throws the error of the last try, and at once what `isPassing` denies */
  async connect<T>(open: () => Promise<T>, isPassing: (error: unknown) => boolean): Promise<T> {
    for (;;) {
      try {
        const connection = await open();
        this.#awaySince = undefined;
        return connection;
      } catch (error) {
        this.#awaySince ??= performance.now();
        if (!isPassing(error) || performance.now() - this.#awaySince >= this.#timeoutMs) throw error;
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  }
}
