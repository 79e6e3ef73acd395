import { expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { sealLedger } from '../../src/storage/money/ledger-chain.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { makeWorld, SECRET } from '../support/world.ts';
import { readChain, readHead } from './ledger-chain-contract.ts';

test('four processes that seal and verify during sales never assign a position twice or report a fault', async () => {
  const connectionString = await createMigratedDatabase(inject('postgresUrl'));
  const world = await makeWorld(postgresEngine({ connectionString }));
  const processes = [1, 2, 3, 4].map(() =>
    createAffkit({
      engine: postgresEngine({ connectionString }),
      secret: SECRET,
      now: () => world.clock.now,
    }),
  );
  const clicks = await Promise.all(Array.from({ length: 8 }, () => world.click('anna')));
  const { id } = world.program;
  for (let round = 0; round < 6; round++) {
    await Promise.all([
      ...Array.from({ length: 30 }, (_, index) => {
        const click_id = clicks[index % clicks.length];
        return world.track('sale', { transaction_id: `t${round}-${index}`, amount_cents: 1000, click_id });
      }),
      ...processes.flatMap(({ jobs, runtime }) => [
        jobs.runOnce(),
        runtime.engine.write(world.workspaceId, (tx) => sealLedger(tx, id)),
        verifyLedger(runtime, null).then(({ fault }) => expect(fault).toBeNull()),
      ]),
    ]);
  }
  await Promise.all(processes.map(({ jobs }) => jobs.runOnce()));
  const head = await readChain(world.engine, id);
  expect(head.position).toBe(360);
  expect(await readHead(world.engine, id)).toEqual(head);
  await Promise.all(processes.map((other) => other.close()));
  await world.affkit.close();
  await dropDatabase(connectionString);
});
