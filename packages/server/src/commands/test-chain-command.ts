import { randomBytes } from 'node:crypto';
import { createAffkit, type Engine, isRejection, runOperatorChain } from '@affkit/core';
import { CommandError, type CommandResult } from './command-result.ts';
import type { Terminal } from './terminal.ts';

/**
 * Sends a click, a lead, a sale and a refund in test mode, and prints each step. It uses the same code as for real
 * events, but does not change real data. You can run the command while the server is running.
 * The exit code is 1 if a step fails.
 * @throws CommandError if the test cannot run
 */
export async function runTestChain(
  engine: Engine,
  programId: number,
  { writeError }: Pick<Terminal, 'writeError'>,
): Promise<CommandResult> {
  const warn = (_fields: unknown, message: string) => writeError(`${message}\n`);
  // Events in test mode never use the service's secret, so a random one works.
  const secret = randomBytes(32).toString('hex');
  const { runtime } = createAffkit({ engine, secret, logger: { info: () => {}, warn, error: warn } });
  const steps = await runOperatorChain(runtime, programId);
  if (isRejection(steps)) {
    const { retryAfterSeconds } = steps;
    const wait = retryAfterSeconds === undefined ? '' : ` Try again in ${retryAfterSeconds} seconds.`;
    throw new CommandError(
      steps.code === 'not_found'
        ? `Program ${programId} does not exist`
        : `Program ${programId} has run 10 chain tests in the last hour.${wait}`,
    );
  }
  const healthy = steps.every(({ ok }) => ok);
  return {
    exitCode: healthy ? 0 : 1,
    data: { programId, healthy, steps },
    lines: steps.map(
      ({ step, ok, message, code }) =>
        `${ok ? 'ok' : 'failed'} ${step}: ${message}${code === null ? '' : ` (${code})`}`,
    ),
  };
}
