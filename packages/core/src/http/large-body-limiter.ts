import { Rejection, Unavailable } from '../rejection.ts';
import type { BodyReading } from './message.ts';
import { MAX_ROUTE_BODY_BYTES } from './route.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_CLIENT_MEBIBYTES = 8;
const MAX_MEBIBYTES = 32;
/** The time within which a large body must arrive. A payment processor sends a body within a second. */
const BODY_READ_TIMEOUT_MS = 10_000;

/**
 * A request body. It counts toward the memory limits of `LargeBodyLimiter` once it exceeds `MAX_ROUTE_BODY_BYTES`,
 * until `release` is called.
 */
export interface LimitedBody {
  /**
   * Runs `read`. Must be called at most once.
   * @returns a rejection if the body does not arrive in time
   * @throws Unavailable if the read was aborted because later bodies needed the memory
   */
  read<T>(read: (reading: BodyReading) => Promise<T>): Promise<T | Rejection>;
  /** Stops counting the body toward the limits. Must be called when the bytes are no longer needed. */
  release(): void;
}

interface CountedBody {
  readonly client: string;
  readonly stop: AbortController;
  bytes: number;
  isReading: boolean;
}

/**
 * Limits the memory of request bodies above `MAX_ROUTE_BODY_BYTES`. Anyone can send such bodies, and they cannot be
 * verified until they are complete. The limits are 8 MiB per client and 32 MiB in total. Only bytes that have
 * already arrived count toward the limits.
 *
 * When a limit is exceeded, the read of the oldest incomplete body is aborted, which frees its memory. The
 * body of a real sender is complete long before enough newer bodies arrive to abort its read. Incomplete
 * bodies therefore cannot block real senders.
 */
export class LargeBodyLimiter {
  /** The bodies, in the order in which they became large. */
  readonly #entries = new Set<CountedBody>();

  /** @param client identifies the sender, for example its network */
  open(client: string): LimitedBody {
    const entry: CountedBody = { client, stop: new AbortController(), bytes: 0, isReading: true };
    const { signal } = entry.stop;
    return {
      read: async (read) => {
        const timedOut = new Rejection('request_timeout');
        const timer = setTimeout(() => entry.stop.abort(timedOut), BODY_READ_TIMEOUT_MS);
        try {
          return await read({ signal, onProgress: (bytes) => this.#count(entry, bytes) });
        } catch (error) {
          if (error === timedOut) return timedOut;
          throw error;
        } finally {
          clearTimeout(timer);
          entry.isReading = false;
        }
      },
      release: () => this.#entries.delete(entry),
    };
  }

  #count(entry: CountedBody, bytes: number): void {
    if (bytes <= MAX_ROUTE_BODY_BYTES || entry.stop.signal.aborted) return;
    entry.bytes = bytes;
    this.#entries.add(entry);
    const all = [...this.#entries];
    const sameClient = all.filter(({ client }) => client === entry.client);
    this.#limit(sameClient, MAX_CLIENT_MEBIBYTES, 'large webhook bodies of one client');
    this.#limit(all, MAX_MEBIBYTES, 'large webhook bodies');
  }

  #limit(entries: readonly CountedBody[], mebibytes: number, what: string): void {
    let bytes = 0;
    for (const entry of entries) if (this.#entries.has(entry)) bytes += entry.bytes;
    for (const entry of entries) {
      if (bytes <= mebibytes * MEBIBYTE) return;
      if (!entry.isReading || !this.#entries.delete(entry)) continue;
      bytes -= entry.bytes;
      entry.stop.abort(new Unavailable(`Requests with ${mebibytes} MiB of ${what} are already in flight`));
    }
  }
}
