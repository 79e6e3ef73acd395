import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { applyPayoutResults } from '../../src/management/payout-results.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { payoutWorldOn } from '../support/payout-world.ts';
import { byDepth } from '../support/test-depth.ts';
import { makeWorld, unwrap } from '../support/world.ts';
import { startScript } from './load.ts';

const ROUNDS = byDepth({ short: 2, long: 50 });
const PAYOUTS = byDepth({ short: 6, long: 12 });

test(`loses no payout and pays none twice when a process is killed while it sends payouts (${ROUNDS} rounds)`, {
  timeout: 300_000 + ROUNDS * 20_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-payouts-'));
  const path = join(folder, 'affkit.db');
  const world = await payoutWorldOn(await makeWorld(sqliteEngine({ path })));
  const { affkit, engine, program, workspaceId, anna } = world;
  const details = toPayoutDetails({ method: 'other', instructions: 'cash' });
  await changePayoutDetails(affkit.runtime, { id: anna.partnerId, workspaceId }, details);
  let created = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (let count = 0; count < PAYOUTS; count++) {
      await world.sell(`round-${round}-${count}`, 1_000 + count);
      created += (await world.payOut()).length;
    }
    const sender = startScript('payout-process.ts', { database: path, programId: program.id });
    await sender.waitForLines(1 + ((round * 7) % (PAYOUTS + 4)));
    sender.kill();
    expect(await sender.exited).toBe('SIGKILL');
    expect(await findFaults(engine)).toEqual([]);
    // The owner imports the whole report again.
    const open = await engine.read
      .selectFrom('payout_batch_items')
      .selectAll()
      .where('status', '=', 'sent')
      .execute();
    for (const { batch_id: batchId, payout_id: payoutId, amount_cents: amountCents } of open) {
      const details = { reference: 'again', reason: null, amountCents, currency: 'USD' };
      const result = { payoutId, status: 'paid' as const, ...details };
      for (let repeat = 0; repeat < 2; repeat++) {
        unwrap(await applyPayoutResults(affkit.runtime, program, batchId, [result], { isDryRun: false }));
      }
    }
    expect(await findFaults(engine)).toEqual([]);
  }
  const rows = await engine.read.selectFrom('payouts').select('id').execute();
  expect(rows).toHaveLength(created);
  expect(await auditLedger(engine)).toEqual([]);
  await affkit.close();
  rmSync(folder, { recursive: true });
});

/** Compares payouts with the items of their batches and with the ledger. @returns a description of each difference */
async function findFaults({ read }: Engine): Promise<string[]> {
  const payouts = await read.selectFrom('payouts').selectAll().execute();
  const items = await read.selectFrom('payout_batch_items').selectAll().execute();
  const payments = await read
    .selectFrom('ledger_entries')
    .select(['payout_id', 'amount_cents'])
    .where('scope', '=', 'partner_program')
    .where('credit_account', '=', 'payout_paid')
    .execute();
  return payouts.flatMap((payout) => {
    const sent = items.filter((item) => item.payout_id === payout.id && item.status === 'sent');
    const paid = items.filter((item) => item.payout_id === payout.id && item.status === 'paid');
    const booked = payments.filter((payment) => payment.payout_id === payout.id);
    const expected = payout.status === 'paid' ? 1 : 0;
    const isSound =
      paid.length === expected &&
      booked.length === expected &&
      booked.every((payment) => payment.amount_cents === payout.amount_cents) &&
      sent.length === (payout.batch_id === null ? 0 : 1) &&
      sent.every((item) => item.batch_id === payout.batch_id && item.amount_cents === payout.amount_cents);
    return isSound ? [] : [`payout ${payout.id} is ${payout.status}, with items ${JSON.stringify(sent)}`];
  });
}
