import { expect, it } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { runConcurrently } from '../support/management-world.ts';
import { SILENT } from '../support/silent-logger.ts';

const CHANGED =
  'AFFKIT_SECRET is not the secret that this database was set up with: all sessions are invalid, and stored webhook secrets and payout details cannot be decrypted. Restore the old secret if you can.';

/** Tests the check of the secret at startup, on any engine. @param open opens the same database each time */
export function secretContract(open: () => Engine): void {
  /** Starts and stops the service. @returns the logged errors */
  const start = async (secret: string) => {
    const errors: string[] = [];
    const logger = { ...SILENT, error: (_fields: object, message: string) => void errors.push(message) };
    const affkit = createAffkit({ engine: open(), secret, logger });
    await affkit.migrate();
    await affkit.close();
    return errors;
  };
  const one = 'one secret, of at least 32 characters';
  const other = 'other secret, of at least 32 characters';

  it('logs an error at each start with a secret that differs from the first', async () => {
    const secrets = [one, one, other, one, other];
    const errors: string[][] = [];
    for (const secret of secrets) errors.push(await start(secret));
    expect(errors).toEqual([[], [], [CHANGED], [], [CHANGED]]);
  });

  it('stores the secret of one of several concurrent first starts', async () => {
    const errors = await runConcurrently(6, (index) => start(index % 2 ? one : other));
    const [right, wrong] = errors[0]?.length === 0 ? [[], [CHANGED]] : [[CHANGED], []];
    expect(errors).toEqual([right, wrong, right, wrong, right, wrong]);
    expect(await start(other)).toEqual(right);
  });
}
