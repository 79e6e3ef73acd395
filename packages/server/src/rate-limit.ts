import { type Admit, networkOf } from '@affkit/core';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ServerConfig } from './config.ts';
import { isUnconfiguredProxy } from './ip-addresses.ts';

/** Period in which a client can use its burst once. */
const BURST_SECONDS = 10;

/**
 * Creates the rate limit of unauthenticated tracking requests: `publicRateLimit` requests per second and
 * client, plus a burst of the same size. If an unconfigured proxy forwards requests, its visitors would share
 * one budget, so its requests are not limited and a warning is logged once.
 * @param warn called once with the message for the operator
 */
export function createRateLimit(
  { publicRateLimit: points, trustProxy }: Pick<ServerConfig, 'publicRateLimit' | 'trustProxy'>,
  warn: (message: string) => void,
): Admit {
  const limiter = new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: 'second', points, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: 'burst', points, duration: BURST_SECONDS }),
  );
  let hasWarned = false;
  return async (request) => {
    const isForwarding = request.header('x-forwarded-for') !== undefined;
    if (isUnconfiguredProxy({ ip: request.ip, isForwarding }, trustProxy)) {
      if (!hasWarned) {
        hasWarned = true;
        warn(
          'Requests arrive through a proxy (X-Forwarded-For), but TRUST_PROXY is off. The IP addresses of visitors ' +
            'are unknown, so there is no geolocation, no rate limit and no limit on failed sign-ins. Set TRUST_PROXY.',
        );
      }
      return null;
    }
    if (points === 0) return null;
    try {
      await limiter.consume(networkOf(request.ip ?? 'unknown'));
      return null;
    } catch (exceeded) {
      if (!(exceeded instanceof RateLimiterRes)) throw exceeded;
      return { retryAfterSeconds: Math.max(1, Math.ceil(exceeded.msBeforeNext / 1000)) };
    }
  };
}
