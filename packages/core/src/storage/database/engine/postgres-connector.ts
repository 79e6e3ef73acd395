import pg from 'pg';
import { Unavailable } from '../../../rejection.ts';
import { TYPES } from './postgres-dialect.ts';
import { Session } from './postgres-session.ts';
import type { Slot } from './postgres-slot.ts';
import { requirePostgresUrl } from './postgres-url.ts';
import type { ReconnectPolicy } from './reconnect-policy.ts';
import { isTransient } from './transient.ts';

export interface ConnectorOptions {
  readonly config: pg.ClientConfig;
  /** Send statements without waiting for the answers to those before. */
  readonly pipelines: boolean;
  readonly slot: Slot;
  readonly patience: ReconnectPolicy;
}

/** Opens the connections of one writer. */
export class Connector {
  readonly #options: ConnectorOptions;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /** Waits for a server that is away. @throws Unavailable */
  open(): Promise<Session> {
    const { config, patience } = this.#options;
    return connectWithRetries(patience, config, () => this.openOnce());
  }

  /** @throws the driver's error */
  async openOnce(): Promise<Session> {
    const session = await Session.open(this.#options.config, this.#options.pipelines);
    try {
      await this.#options.slot.claim(session);
      return session;
    } catch (error) {
      session.discard();
      throw error;
    }
  }
}

/**
 * How connections are made: all of an engine's in the same way.
 * @throws RangeError when it is no URL of Postgres
 */
export function connectionConfig(connectionString: string): pg.ClientConfig {
  return {
    connectionString: requirePostgresUrl(connectionString),
    types: TYPES,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    fallback_application_name: 'affkit',
  };
}

/** @throws Unavailable, which says which server it is, without the password, and what it met there */
export async function connectWithRetries<T>(
  patience: ReconnectPolicy,
  config: pg.ClientConfig,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await patience.connect(open, isPassing);
  } catch (error) {
    const { host, port, database } = new pg.Client(config);
    throw new Unavailable(
      `Can't connect to Postgres at ${host}:${port}, database "${database}": ${reasonOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** Not a wrong password, a missing database and the like. */
function isPassing(error: unknown): boolean {
  return isTransient(error) || !(error instanceof pg.DatabaseError);
}

function reasonOf(error: unknown): string {
  // Of several addresses that were tried, Node's error has no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
