import { expect, test } from 'vitest';
import { Unavailable } from '../../../rejection.ts';
import type { PostgresSession } from './postgres-session.ts';
import { PostgresTransaction } from './postgres-transaction.ts';

/** Runs a single statement that fails with `code` while the connection to the coordinator works. */
function failWith(code: string, markerProgramId: number | null) {
  const failure = Object.assign(new Error('failed'), { code });
  const session = {
    isLost: false,
    shouldDiscardPlans: () => false,
    query: () => Promise.reject(failure),
    rollback: () => Promise.resolve(),
  } as unknown as PostgresSession;
  const transaction = new PostgresTransaction(session, 'marker', () => Promise.resolve());
  const attempt = transaction.attempt(async () =>
    transaction.runSingleStatement(
      () => ({ text: 'INSERT' }),
      (error) => error,
      markerProgramId,
    ),
  );
  return { attempt, failure };
}

test.each(['08006', '57P02'])(
  'does not retry after %s if the marker is on a shard, because the clicks may already be stored',
  async (code) => {
    const { attempt, failure } = failWith(code, 7);
    const error = await attempt.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toHaveProperty('cause', failure);
  },
);

test.each([
  ['40P01', 7],
  ['08006', null],
] as const)('allows a retry after %s if the program of the marker is %s', async (code, programId) => {
  const { attempt, failure } = failWith(code, programId);
  await expect(attempt).rejects.toBe(failure);
});
