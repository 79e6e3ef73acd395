import { writeSync } from 'node:fs';
import { createAffkit } from '../../src/create-affkit.ts';
import { createPayoutBatch } from '../../src/management/payout-batches.ts';
import { applyPayoutResults } from '../../src/management/payout-results.ts';
import { listBatchItems } from '../../src/storage/money/payout-batches.ts';
import { SILENT } from '../support/silent-logger.ts';
import { SECRET, unwrap } from '../support/world.ts';
import { openDatabase } from './open-database.ts';

/** The work of a process that puts payouts into batches and imports their results. */
export interface PayoutPlan {
  /** Path of a SQLite file, or URL of a Postgres database. */
  readonly database: string;
  readonly programId: number;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as PayoutPlan;
const affkit = createAffkit({ engine: openDatabase(plan.database), secret: SECRET, logger: SILENT });
const { runtime } = affkit;

// Exit when the parent exits, even if the parent was killed.
process.stdin.on('close', () => process.exit()).resume();
const program = await runtime.findProgram(plan.programId);
if (!program) throw new Error(`There is no program ${plan.programId}`);
// The next batch contains the payouts that failed.
for (;;) {
  writeSync(1, 'create\n');
  const order = { channel: 'file:csv', currency: 'USD' } as const;
  const { batch } = unwrap(await createPayoutBatch(runtime, program, order));
  if (batch === null) break;
  writeSync(1, `batch ${batch.id}\n`);
  for (const item of await listBatchItems(runtime.engine.read, program.id, batch.id)) {
    const status = item.payout_id % 3 === batch.id % 3 ? ('failed' as const) : ('paid' as const);
    const details = {
      reference: `${batch.id}`,
      reason: null,
      amountCents: item.amount_cents,
      currency: 'USD',
    };
    const result = { payoutId: item.payout_id, status, ...details };
    unwrap(await applyPayoutResults(runtime, program, batch.id, [result], { isDryRun: false }));
    writeSync(1, `${status} ${item.payout_id}\n`);
  }
}
await affkit.close();
process.exit();
