import { type Admit, networkOf, siteOf } from '@affkit/core';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ServerConfig } from './config.ts';
import { isUnconfiguredProxy } from './ip-addresses.ts';

/** In each period of this length, a client can use its burst once. */
const BURST_SECONDS = 10;
/**
 * The limit that a group of clients shares, as a multiple of the limit of a single client. A group is an IPv6
 * /48, or all clients with an unknown address.
 */
const SHARED_FACTOR = 10;

/**
 * Creates the rate limit for unauthenticated tracking requests: `publicRateLimit` requests per second and
 * client, plus a burst of the same size. The limit of an IPv6 /48 is ten times as high. Behind an
 * unconfigured proxy, the addresses of clients are unknown. All these clients share ten times the limit, and
 * a warning is logged once. Each process counts in its own memory.
 * @param warn called once with the message for the operator
 */
export function createRateLimit(
  { publicRateLimit, trustProxy }: Pick<ServerConfig, 'publicRateLimit' | 'trustProxy'>,
  warn: (message: string) => void,
): Admit {
  const clients = createLimiter('client', publicRateLimit);
  const shared = createLimiter('shared', publicRateLimit * SHARED_FACTOR);
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

function createLimiter(name: string, points: number): BurstyRateLimiter {
  return new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: `${name}-second`, points, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: `${name}-burst`, points, duration: BURST_SECONDS }),
  );
}
