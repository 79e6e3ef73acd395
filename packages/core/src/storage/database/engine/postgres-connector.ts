import pg from 'pg';
import { Unavailable } from '../../../rejection.ts';
import type { CounterSlot } from './postgres-counter-slot.ts';
import { TYPE_PARSERS } from './postgres-dialect.ts';
import type { PostgresPooler } from './postgres-pooler.ts';
import { PostgresSession } from './postgres-session.ts';
import { requirePostgresUrl } from './postgres-url.ts';
import type { ReconnectPolicy } from './reconnect-policy.ts';
import { isTransient } from './transient.ts';

export interface ConnectorOptions {
  readonly config: pg.ClientConfig;
  /** Whether to send statements before earlier statements have returned. */
  readonly pipelining: boolean;
  readonly pooler: PostgresPooler;
  readonly slot: CounterSlot;
  readonly reconnectPolicy: ReconnectPolicy;
}

/** Opens the connections of one writer. */
export class Connector {
  readonly #options: ConnectorOptions;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /** Opens a session. Retries while the server is unavailable. @throws Unavailable */
  open(): Promise<PostgresSession> {
    const { config, reconnectPolicy } = this.#options;
    return connectWithRetries(reconnectPolicy, config, () => this.openOnce());
  }

  /** Tries only once to open a session. @throws the driver's error */
  async openOnce(): Promise<PostgresSession> {
    const { config, pipelining, pooler, slot } = this.#options;
    const session = await PostgresSession.open(config, pipelining, pooler);
    try {
      // The lock of a slot belongs to a server connection. A pooler in transaction mode also gives that connection to
      // other clients, so a process behind such a pooler claims no slot.
      if (pooler === 'session') await slot.claim(session);
      return session;
    } catch (error) {
      session.discard();
      throw error;
    }
  }
}

/**
 * Returns the driver configuration that all connections of an engine share.
 * @throws RangeError when `connectionString` is not a valid Postgres URL
 */
export function connectionConfig(connectionString: string): pg.ClientConfig {
  return {
    connectionString: requirePostgresUrl(connectionString),
    types: TYPE_PARSERS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    fallback_application_name: 'affkit',
  };
}

/**
 * @throws Unavailable; the message contains the host, port, database and the driver's message, but not the
 * password
 */
export async function connectWithRetries<T>(
  reconnectPolicy: ReconnectPolicy,
  config: pg.ClientConfig,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await reconnectPolicy.connect(open, isRetryable);
  } catch (error) {
    const { host, port, database } = new pg.Client(config);
    throw new Unavailable(
      `Can't connect to Postgres at ${host}:${port}, database "${database}": ${connectionErrorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Whether a retry may succeed. For example, it cannot succeed if the password is wrong or the database is
 * missing.
 */
function isRetryable(error: unknown): boolean {
  return isTransient(error) || !(error instanceof pg.DatabaseError);
}

function connectionErrorMessage(error: unknown): string {
  // If Node tried several IP addresses, it throws an AggregateError with an empty message.
  if (error instanceof AggregateError) return error.errors.map(connectionErrorMessage).join(', ');
  return error instanceof Error ? error.message : String(error);
}
