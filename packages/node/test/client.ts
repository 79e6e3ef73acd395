import { Affkit } from '../src/affkit.ts';
import type { AttemptInfo } from '../src/hooks.ts';
import type { Logger } from '../src/log.ts';
import type { AffkitOptions } from '../src/options.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

export const TOKEN = 'aff_T0kenThatNobodyMaySee';
export const SALE = { transaction_id: 'order-1', amount_cents: 1999, customer_key: 'user-1' };

/** A client whose retry delays elapse immediately, and everything that this client reported. */
export interface TestClient {
  readonly affkit: Affkit;
  readonly clock: ManualClock;
  readonly attempts: AttemptInfo['outcome'][];
  readonly delays: number[];
  readonly taken: string[];
  readonly logged: { level: keyof Logger; message: string; fields: unknown }[];
}

export function makeClient(options: AffkitOptions = {}): TestClient {
  const clock = manualClock();
  const attempts: AttemptInfo['outcome'][] = [];
  const delays: number[] = [];
  const taken: string[] = [];
  const logged: TestClient['logged'] = [];
  const log = (level: keyof Logger) => (message: string, fields: unknown) => {
    logged.push({ level, message, fields });
  };
  const affkit = new Affkit({
    token: TOKEN,
    baseUrl: 'https://affkit.test',
    runtime: clock,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    logLevel: 'warn',
    hooks: {
      onAttempt: ({ outcome }) => attempts.push(outcome),
      onRetry: ({ delayMs }) => {
        delays.push(delayMs);
        // The delay starts right after this hook.
        queueMicrotask(() => clock.advance(delayMs));
      },
      onTransactionIdTaken: ({ transactionId }) => taken.push(transactionId),
    },
    ...options,
  });
  return { affkit, clock, attempts, delays, taken, logged };
}

/** Returns the rejection reason of a promise. Throws if the promise resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const value = await promise.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if ('error' in value) return value.error;
  throw new Error(`Expected a rejection, got ${JSON.stringify(value.result)}`);
}
