import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { listLockHolders, TableLocked } from '../migrations/lock-timeout.ts';
import type { Schema } from '../schema.ts';

const MAX_PAUSE_MS = 2_000;

/** How long to try to lock tables: `lockTimeoutMs` in each attempt, `timeoutMs` in all attempts together. */
interface LockWait {
  readonly lockTimeoutMs: number;
  readonly timeoutMs: number;
  /** Called after each failed attempt that will be followed by another. */
  readonly onWait: ((reason: Error) => void) | undefined;
}

/**
 * Runs work that alters tables. While other sessions block the work, it is rolled back and retried. No lock is held
 * between two attempts, so that queued queries can finish.
 * @throws Error that lists the blocking sessions, when the time is up
 */
export async function retryWhileLocked<T>(
  run: () => Promise<T>,
  read: Kysely<Schema>,
  { lockTimeoutMs, timeoutMs, onWait }: LockWait,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof TableLocked)) throw error;
      const holders = await listLockHolders(read, lockTimeoutMs).catch(() => []);
      const sessions = holders.length > 0 ? holders.join(', ') : 'see pg_stat_activity';
      if (performance.now() >= deadline) {
        throw new Error(
          `${error.message}. Nothing was changed. Start again after these sessions have ended: ${sessions}`,
          { cause: error },
        );
      }
      onWait?.(new Error(`${error.message}: ${sessions}. Trying again`, { cause: error }));
      await sleep(Math.min(MAX_PAUSE_MS, lockTimeoutMs));
    }
  }
}
