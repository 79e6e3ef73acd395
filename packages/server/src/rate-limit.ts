import { type Admit, networkOf, siteOf } from '@affkit/core';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ServerConfig } from './config.ts';
import { summarizeError } from './error-summary.ts';
import { isUnconfiguredProxy } from './ip-addresses.ts';
import type { RateLimitStore, SharedLimit } from './rate-limit-store.ts';

/** In each period of this length, a client can use its burst once. */
const BURST_SECONDS = 10;
/**
 * The limit that a group of clients shares, as a multiple of the limit of a single client. A group is an IPv6
 * /48, or all clients with an unknown address.
 */
const SHARED_FACTOR = 10;

/** A process reports the requests of a client each time they reach another tenth of the limit. */
const REPORTS_PER_LIMIT = 10;
/** The maximum number of reports that a process sends at the same time. */
const MAX_REPORTS = 8;
/** After a failed report, the process sends no reports for this long. */
const STORE_RETRY_MS = 5_000;

/**
 * Creates the rate limit for unauthenticated tracking requests: `publicRateLimit` requests per second and
 * client, plus a burst of the same size. The limit of an IPv6 /48 is ten times as high. Behind an
 * unconfigured proxy, the addresses of clients are unknown. All these clients share ten times the limit, and
 * a warning is logged once.
 *
 * Each process counts requests in its own memory. With a `store`, it also reports the requests of a client to the store
 * each time they reach another tenth of the limit. If a report shows that the client's requests to all servers together
 * exceed the limit, the process rejects further requests from this client. No request waits for a report.
 * @param warn called with messages for the operator
 */
export function createRateLimit(
  { publicRateLimit, trustProxy }: Pick<ServerConfig, 'publicRateLimit' | 'trustProxy'>,
  warn: (message: string) => void,
  store?: RateLimitStore,
): Admit {
  const reports = new Reports(warn);
  const clients = new RequestLimit('client', publicRateLimit, reports, store);
  const shared = new RequestLimit('shared', publicRateLimit * SHARED_FACTOR, reports, store);
  let hasWarned = false;
  return async (request) => {
    const { ip } = request;
    const isForwarding = request.header('x-forwarded-for') !== undefined;
    const isProxy = isUnconfiguredProxy({ ip, isForwarding }, trustProxy);
    if (isProxy && !hasWarned) {
      hasWarned = true;
      warn(
        'Requests arrive through a proxy (X-Forwarded-For), but TRUST_PROXY is off. The IP addresses of visitors ' +
          'are unknown, so there is no geolocation, and all visitors share one rate limit and one limit on failed ' +
          'sign-ins. Set TRUST_PROXY.',
      );
    }
    if (publicRateLimit === 0) return null;
    try {
      if (ip === null || isProxy) {
        await shared.consume('unknown');
        return null;
      }
      // Check the limit of the client first, so that its rejected requests do not use up the limit of the
      // whole /48.
      await clients.consume(networkOf(ip));
      const site = siteOf(ip);
      if (site !== null) await shared.consume(site);
      return null;
    } catch (exceeded) {
      if (!(exceeded instanceof RateLimiterRes)) throw exceeded;
      return { retryAfterSeconds: Math.max(1, Math.ceil(exceeded.msBeforeNext / 1000)) };
    }
  };
}

/**
 * A limit that counts requests in the memory of this process. With a store, it also reports them to the limit that all
 * servers share.
 */
class RequestLimit {
  readonly #second: RateLimiterMemory;
  readonly #burst: RateLimiterMemory;
  readonly #limiter: BurstyRateLimiter;
  readonly #reportedAt: number;
  readonly #reports: Reports;
  readonly #shared: SharedLimit | undefined;

  constructor(name: string, points: number, reports: Reports, store: RateLimitStore | undefined) {
    this.#second = new RateLimiterMemory({ keyPrefix: `${name}-second`, points, duration: 1 });
    this.#burst = new RateLimiterMemory({ keyPrefix: `${name}-burst`, points, duration: BURST_SECONDS });
    this.#limiter = new BurstyRateLimiter(this.#second, this.#burst);
    this.#reportedAt = Math.max(1, Math.floor(points / REPORTS_PER_LIMIT));
    this.#reports = reports;
    this.#shared = store?.open(name, points, BURST_SECONDS);
  }

  /** @throws RateLimiterRes when the client has exceeded the limit */
  async consume(client: string): Promise<void> {
    const { consumedPoints } = await this.#limiter.consume(client);
    const shared = this.#shared;
    // Most clients send too few requests to be reported.
    if (!shared || consumedPoints % this.#reportedAt !== 0) return;
    this.#reports.send(async () => {
      const exceededMs = await shared.add(client, this.#reportedAt);
      if (exceededMs === 0) return;
      const seconds = Math.ceil(exceededMs / 1000);
      await Promise.all([this.#second.block(client, seconds), this.#burst.block(client, seconds)]);
    });
  }
}

/**
 * Sends reports of request counts to the store in the background. While the store is slow or unavailable, reports are
 * skipped, and the process counts only its own requests.
 */
class Reports {
  readonly #warn: (message: string) => void;
  #count = 0;
  #pausedUntil = 0;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  send(report: () => Promise<void>): void {
    if (this.#count >= MAX_REPORTS || performance.now() < this.#pausedUntil) return;
    this.#count += 1;
    report()
      .catch((error: unknown) => {
        if (performance.now() < this.#pausedUntil) return;
        this.#pausedUntil = performance.now() + STORE_RETRY_MS;
        this.#warn(
          `Cannot share rate limits between servers: ${summarizeError(error)}. For the next ${STORE_RETRY_MS / 1000} seconds, this server counts only its own requests.`,
        );
      })
      .finally(() => {
        this.#count -= 1;
      });
  }
}
