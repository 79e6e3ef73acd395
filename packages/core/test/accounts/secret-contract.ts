import { expect, it } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { atOnce } from '../support/management-world.ts';
import { SILENT } from '../support/silent-logger.ts';

const CHANGED =
  'AFFKIT_SECRET is not the secret that this database was set up with: ' +
  'all sessions are invalid, and stored webhook secrets cannot be decrypted. Restore the old secret if you can.';

/** Starts of a service, on any engine. @param open the same database each time, empty at first */
export function secretContract(open: () => Engine): void {
  /** @returns what the log was told */
  const start = async (secret: string) => {
    const told: string[] = [];
    const logger = { ...SILENT, error: (_fields: object, message: string) => void told.push(message) };
    const affkit = createAffkit({ engine: open(), secret, logger });
    await affkit.migrate();
    await affkit.close();
    return told;
  };
  const one = 'one secret, of at least 32 characters';
  const other = 'other secret, of at least 32 characters';

  it('another secret than the first is told at each start', async () => {
    const secrets = [one, one, other, one, other];
    const told: string[][] = [];
    for (const secret of secrets) told.push(await start(secret));
    expect(told).toEqual([[], [], [CHANGED], [], [CHANGED]]);
  });

  it('of several first starts at once, one sets the secret', async () => {
    const told = await atOnce(6, (index) => start(index % 2 ? one : other));
    const [right, wrong] = told[0]?.length === 0 ? [[], [CHANGED]] : [[CHANGED], []];
    expect(told).toEqual([right, wrong, right, wrong, right, wrong]);
    expect(await start(other)).toEqual(right);
  });
}
