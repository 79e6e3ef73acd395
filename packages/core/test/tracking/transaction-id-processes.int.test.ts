import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { createWorkspace } from '../../src/management/workspaces.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { changeTransactionIds } from '../../src/tracking/transaction-ids-setting.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { SILENT } from '../support/silent-logger.ts';
import { addProgram, createCaller, makeWorld, type Reply, SECRET, type World } from '../support/world.ts';

const IDS = Array.from({ length: 30 }, (_, index) => `order-${index}`);

// Like two processes, the two engines share no state except the database.
let url: string;
let world: World;
let otherProcess: ReturnType<typeof createAffkit>;
/**
 * Two functions that report a sale with the given id: the first function for the first workspace, and the second for
 * another workspace.
 */
let sellers: ((call: World['call'], id: string) => Promise<Reply>)[];

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWorld(postgresEngine({ connectionString: url }), {}, { transactionIds: 'workspace' });
  otherProcess = createAffkit({
    engine: postgresEngine({ connectionString: url }),
    secret: SECRET,
    now: () => world.clock.now,
    logger: SILENT,
    transactionIds: 'workspace',
  });
  const { id } = await createWorkspace(world.affkit.runtime, { name: 'Other', ownerId: 1 });
  const other = await addProgram(world, id, 'carl');
  sellers = await Promise.all(
    [
      { code: 'anna', authorization: `Bearer ${world.token}` },
      { code: 'carl', authorization: other.authorization },
    ].map(async ({ code, authorization }) => {
      const click_id = await world.click(code);
      return (call: World['call'], transaction_id: string) => {
        const sale = { transaction_id, amount_cents: 1000, click_id };
        return call('POST', '/api/v1/track/sale', sale, { authorization });
      };
    }),
  );
});

afterEach(async () => {
  expect(await auditLedger(world.engine)).toEqual([]);
  await otherProcess.close();
  await world.affkit.close();
  await dropDatabase(url);
});

/**
 * Reports a sale with each id for both workspaces, to both processes. The second workspace reports the ids in
 * reverse order.
 * @returns the number of replies of each kind
 */
async function sellAll(ids: readonly string[], other = createCaller(otherProcess)) {
  const replies = await Promise.all(
    sellers.flatMap((sell, index) => {
      const ordered = index === 0 ? ids : ids.toReversed();
      return ordered.flatMap((id) => [sell(world.call, id), sell(other, id)]);
    }),
  );
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const answer = status === 200 ? 'recorded' : String(body['code']);
    counts[answer] = (counts[answer] ?? 0) + 1;
  }
  return counts;
}

test('two processes record each id once per workspace when the workspaces report in opposite orders', async () => {
  expect(await sellAll(IDS)).toEqual({ recorded: 60, duplicate_transaction: 60 });
  expect((await world.balances()).program).toEqual({ USD: 6000 });
});

test('a process that still runs with the old setting records no id twice in a workspace', async () => {
  await changeTransactionIds(world, 'service');
  const engine = postgresEngine({ connectionString: url });
  const changed = createAffkit({ engine, secret: SECRET, now: () => world.clock.now, logger: SILENT });
  await changed.migrate();
  const {
    recorded = 0,
    duplicate_transaction = 0,
    transaction_id_taken = 0,
  } = await sellAll(IDS, createCaller(changed));
  expect(recorded + duplicate_transaction + transaction_id_taken).toBe(120);
  // The process with the old setting records each id that its workspace does not have yet. Each of the 30 ids
  // is therefore recorded once in both workspaces.
  expect(recorded).toBe(60);
  // From now on, both processes find the sales of both workspaces.
  expect(await sellAll(IDS, createCaller(changed))).toEqual({ duplicate_transaction: 120 });
  await changed.close();
});
