import { createHmac } from 'node:crypto';
import pg from 'pg';
import { BurstyRateLimiter, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { DatabaseConfig } from './config.ts';

export interface SharedLimit {
  /**
   * Adds requests to the count that all servers share.
   * @returns the milliseconds that the client must wait if it has exceeded the limit, or else 0
   * @throws when the database cannot be reached
   */
  add(client: string, requests: number): Promise<number>;
}

/** Counts the requests of each client across all servers that use the same database. */
export interface RateLimitStore {
  /**
   * @param requests both the limit per second and the size of a burst
   * @param burstSeconds in each period of this length, a client may exceed the limit by one burst
   */
  open(name: string, requests: number, burstSeconds: number): SharedLimit;
  close(): Promise<void>;
}

/**
 * Enough connections for one process to report how many requests its clients have sent. If all are busy for too long,
 * the process skips reports, and the other servers do not count those requests.
 */
const MAX_CONNECTIONS = 2;
const TIMEOUT_MS = 1_000;

/**
 * Opens the store in the table `rate_limits`. It has its own connections, so that it never delays other queries.
 * @param secret the key for hashing the clients' IP addresses; the addresses themselves are never stored
 */
export function openRateLimitStore(
  { connectionString, pooler }: Extract<DatabaseConfig, { kind: 'postgres' }>,
  secret: string,
): RateLimitStore {
  const pool = new pg.Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
    fallback_application_name: 'affkit',
  });
  // The pool removes lost connections itself, so their errors need no handling.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const storeClient = pooler === 'session' ? pool : withoutStatementNames(pool);
  const hashOf = (client: string) =>
    createHmac('sha256', secret).update(`rate limit of ${client}`).digest('base64url');
  return {
    open: (name, points, burstSeconds) => {
      const limiter = (keyPrefix: string, duration: number) =>
        new RateLimiterPostgres({
          storeClient,
          storeType: 'pool',
          tableName: 'rate_limits',
          tableCreated: true,
          keyPrefix,
          points,
          duration,
        });
      const shared = new BurstyRateLimiter(
        limiter(`${name}-second`, 1),
        limiter(`${name}-burst`, burstSeconds),
      );
      return {
        add: async (client, requests) => {
          try {
            await shared.consume(hashOf(client), requests);
            return 0;
          } catch (exceeded) {
            if (exceeded instanceof RateLimiterRes) return Math.max(1, exceeded.msBeforeNext);
            throw exceeded;
          }
        },
      };
    },
    close: () => pool.end(),
  };
}

/**
 * Sends unnamed statements, because a prepared statement with a name exists only on one connection. A pooler may run
 * the next query on another connection.
 */
function withoutStatementNames(pool: pg.Pool) {
  return { query: ({ text, values }: pg.QueryConfig) => pool.query({ text, ...(values && { values }) }) };
}
