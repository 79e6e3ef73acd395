import { setTimeout as sleep } from 'node:timers/promises';

const MAX_RECONNECT_DELAY_MS = 250;

/**
 * Retries connections while the server is unavailable, long enough for it to restart. The timeout starts with
 * the first failure. Once it has elapsed, each call makes a single attempt until one succeeds, so that queued
 * requests fail quickly.
 */
export class ReconnectPolicy {
  readonly #timeoutMs: number;
  #unavailableSince: number | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param isRetryable whether an error may go away; any other error is thrown immediately
   * @throws the error of the last attempt
   */
  async connect<T>(open: () => Promise<T>, isRetryable: (error: unknown) => boolean): Promise<T> {
    for (;;) {
      try {
        const connection = await open();
        this.#unavailableSince = undefined;
        return connection;
      } catch (error) {
        this.#unavailableSince ??= performance.now();
        const hasTimedOut = performance.now() - this.#unavailableSince >= this.#timeoutMs;
        if (hasTimedOut || !isRetryable(error)) throw error;
        await sleep(Math.random() * MAX_RECONNECT_DELAY_MS);
      }
    }
  }
}
