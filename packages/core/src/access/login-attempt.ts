import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findLimitTimes, insertLoginFailure } from '../storage/accounts/login-failures.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { decideLogin, FAILURE_WINDOW_MS, type LoginSubject, type LoginVerdict } from './login-limit.ts';

/**
 * Counts the attempt as failed, unless it is blocked. While the transaction runs, no other process can write to
 * accounts, so concurrent attempts cannot exceed the limits.
 */
export function countAttempt(runtime: Runtime, subject: LoginSubject): Promise<LoginVerdict> {
  const at = runtime.now();
  return runtime.engine.write(SERVICE_LANE, async (tx) => {
    const verdict = await readVerdict(tx.db, subject, at);
    if (verdict.kind === 'allowed') await insertLoginFailure(tx, subject, at, at - FAILURE_WINDOW_MS);
    return verdict;
  });
}

export async function readVerdict(
  db: Transaction['db'],
  { limits }: LoginSubject,
  at: number,
): Promise<LoginVerdict> {
  return decideLogin(await findLimitTimes(db, limits, at - FAILURE_WINDOW_MS), at);
}

export function rateLimited(retryAfterSeconds: number): Rejection {
  return new Rejection('login_rate_limited', undefined, { retryAfterSeconds });
}
