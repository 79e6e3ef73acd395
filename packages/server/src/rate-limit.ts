import { type Admit, networkOf, siteOf } from '@affkit/core';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ServerConfig } from './config.ts';
import { isUnconfiguredProxy } from './ip-addresses.ts';

/** Period in which a client can use its burst once. */
const BURST_SECONDS = 10;
/**
 * The limit shared by a group of clients, as a multiple of the limit of one client. A group is an IPv6 /48,
 * or all clients with an unknown address.
 */
const SHARED_FACTOR = 10;

/**
 * Creates the rate limit of unauthenticated tracking requests: `publicRateLimit` requests per second and
 * client, plus a burst of the same size. The limit of an IPv6 /48 is ten times as high. Behind an
 * unconfigured proxy, the addresses of clients are unknown: these clients also share ten times the limit, and
 * a warning is logged once. Counts are in the memory of this process.
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
      // The limit of the client is checked first, so that rejected requests do not use up the limit of the
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
