import { randomBytes } from 'node:crypto';
import { createAffkit, type Engine, isRejection, runOperatorChain } from '@affkit/core';
import { printReport, type Terminal } from './terminal.ts';

/**
 * Sends a click, a lead, a sale and a refund in test mode through the real code, and prints each step. Real data does
 * not change. You can run the command while the server is running.
 * @returns the exit code: 1 if a step fails or the test cannot run
 */
export async function runTestChain(
  engine: Engine,
  { programId, json }: { readonly programId: number; readonly json: boolean },
  terminal: Pick<Terminal, 'write' | 'writeError'>,
): Promise<number> {
  const warn = (_fields: unknown, message: string) => terminal.writeError(`${message}\n`);
  // Events in test mode use no key of the service, so any secret works.
  const secret = randomBytes(32).toString('hex');
  const { runtime } = createAffkit({ engine, secret, logger: { info: () => {}, warn, error: warn } });
  const steps = await runOperatorChain(runtime, programId);
  if (isRejection(steps)) {
    const { retryAfterSeconds } = steps;
    const wait = retryAfterSeconds === undefined ? '' : ` Try again in ${retryAfterSeconds} seconds.`;
    terminal.writeError(
      steps.code === 'not_found'
        ? `Program ${programId} does not exist\n`
        : `Program ${programId} has run 10 chain tests in the last hour.${wait}\n`,
    );
    return 1;
  }
  const healthy = steps.every(({ ok }) => ok);
  printReport(
    terminal,
    json,
    { programId, healthy, steps },
    steps.map(
      ({ step, ok, message, code }) =>
        `${ok ? 'ok' : 'failed'} ${step}: ${message}${code === null ? '' : ` (${code})`}`,
    ),
  );
  return healthy ? 0 : 1;
}
