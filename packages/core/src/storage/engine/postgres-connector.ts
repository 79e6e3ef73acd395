import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Session, unreachable } from './postgres-session.ts';
import type { Slot } from './postgres-slot.ts';
import { isTransient } from './transient.ts';

export interface ConnectorOptions {
  readonly config: pg.ClientConfig;
  readonly pipelines: boolean;
  readonly slot: Slot;
  /** How long a server may be away until works are refused, in ms. */
  readonly patienceMs: number;
}

const MAX_PAUSE_MS = 250;

/** Opens connections for one writer, patiently while the server restarts. */
export class Connector {
  readonly #options: ConnectorOptions;
  #awaySince: number | undefined;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /**
   * Waits for a server that is away. Once it was away for longer than the patience, each further call tries once,
   * so that what is queued is refused at once.
   * @throws Unavailable
   */
  async open(): Promise<Session> {
    for (;;) {
      try {
        const session = await this.openOnce();
        this.#awaySince = undefined;
        return session;
      } catch (error) {
        this.#awaySince ??= performance.now();
        const isPatient = performance.now() - this.#awaySince < this.#options.patienceMs;
        if (!isPatient || !isPassing(error)) throw unreachable(this.#options.config, error);
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
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

/** Not a wrong password, a missing database and the like. */
function isPassing(error: unknown): boolean {
  return isTransient(error) || !isAnswerOfServer(error);
}

function isAnswerOfServer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error;
}
