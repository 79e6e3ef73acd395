import { type Admit, networkOf } from '@affkit/core';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isHiddenProxy } from './addresses.ts';
import type { ServerConfig } from './config.ts';

/** For how long a burst, once spent, is not granted again. */
const BURST_SECONDS = 10;

/**
 * The rate limit of unauthenticated tracking requests: so many a second for each client, and as many again in a
 * burst. A local peer that forwards others' requests, though no proxy is configured, is let in and warned of once:
 * all its visitors would share one limit.
 */
export function createAdmission(
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
    if (isHiddenProxy({ ip: request.ip, isForwarding }, trustProxy)) {
      if (!hasWarned) {
        hasWarned = true;
        warn(
          'Requests come through a proxy (X-Forwarded-For), but TRUST_PROXY is off: every visitor counts as the ' +
            'proxy itself, so places are unknown and neither the rate limit nor the lock-out of failed sign-ins is ' +
            'applied. Set TRUST_PROXY.',
        );
      }
      return null;
    }
    if (points === 0) return null;
    try {
      await limiter.consume(networkOf(request.ip ?? 'unknown'));
      return null;
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return { retryAfterSeconds: Math.max(1, Math.ceil(refused.msBeforeNext / 1000)) };
    }
  };
}
