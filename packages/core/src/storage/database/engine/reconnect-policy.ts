import { setTimeout as sleep } from 'node:timers/promises';

const MAX_RECONNECT_DELAY_MS = 250;

/**
 * Retries connections while the server is unavailable. The timeout starts with the first failure, and is long enough
 * for a restart of the server. After the timeout, calls no longer retry: each makes a single attempt, so that queued
 * requests fail quickly. Once an attempt succeeds, later calls retry as before.
 */
export class ReconnectPolicy {
  readonly #timeoutMs: number;
  #unavailableSince: number | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param isRetryable whether a retry may succeed; other errors are thrown immediately
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
