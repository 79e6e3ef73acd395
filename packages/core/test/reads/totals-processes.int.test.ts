import { expect, inject, test } from 'vitest';
import { checkTotals, rebuildTotals } from '../../src/reporting/totals.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { makeWorld } from '../support/world.ts';

test('concurrent rebuilds in several processes during clicks correct each total once', async () => {
  const connectionString = await createMigratedDatabase(inject('postgresUrl'));
  const world = await makeWorld(postgresEngine({ connectionString }));
  const otherEngines = [1, 2, 3].map(() => postgresEngine({ connectionString }));
  const { id } = world.program;
  for (let click = 0; click < 20; click++) await world.click('anna');
  for (let round = 0; round < 5; round++) {
    await world.engine.write(id, ({ db }) => db.deleteFrom('daily_totals').execute());
    await Promise.all([
      ...otherEngines.map((engine) => rebuildTotals({ engine }, id)),
      ...Array.from({ length: 20 }, () => world.click('ben')),
    ]);
    expect(await checkTotals(world.affkit.runtime, id)).toEqual([]);
  }
  await Promise.all(otherEngines.map((engine) => engine.close()));
  await world.affkit.close();
  await dropDatabase(connectionString);
});
