import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { rollbackWhen } from '../../src/storage/database/rollback-when.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openNode, openPayoutWorld } from '../support/payout-world.ts';
import { createCaller } from '../support/world.ts';

export function payoutBatchRetryContract(kind: string, open: OpenEngine): void {
  describe(`retried payout batches on ${kind}`, () => {
    it('lists a left-out payout once if the transaction is retried', async () => {
      const world = await openPayoutWorld(open);
      await world.sell('a', 10_000);
      await world.payOut();
      const node = openNode({ ...world, engine: runTwice(world.engine) }, {});
      const body = { channel: 'file:csv', currency: 'USD', payout_ids: [999_999] };
      const reply = await world.ask('POST', '/payout-batches', body, createCaller(node));
      expect(reply.body).toMatchObject({
        data: null,
        left_out: [{ payout_id: 999_999, reason: 'not_found' }],
        left_out_total: 1,
      });
      await world.affkit.close();
    });
  });
}

/** Returns an engine that runs each unit of work twice and rolls back the first run, as after a deadlock. */
function runTwice(engine: Engine): Engine {
  return {
    ...engine,
    write: (lane, work, ...options) =>
      engine.write(
        lane,
        async (tx) => {
          await rollbackWhen(
            (step: () => Promise<void>) => tx.savepoint(step),
            async () => void (await work(tx)),
            () => true,
          ).catch(() => {});
          return await work(tx);
        },
        ...options,
      ),
  };
}
