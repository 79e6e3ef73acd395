import { createAffkit } from '../../src/create-affkit.ts';
import { sendPayouts } from '../../src/jobs/send-payouts.ts';
import { createPayPalProvider, type PayPalSettings } from '../../src/payout-provider/paypal.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { openDatabase } from '../durability/open-database.ts';
import { SECRET } from '../support/world.ts';

/** A process that sends payouts, and kills itself at a transaction. */
export interface PayoutProcessPlan {
  readonly database: string;
  readonly paypal: PayPalSettings;
  /** The time of its clock, in epoch milliseconds. */
  readonly now: number;
  /** The transaction at which the process kills itself, starting at 1. Null if another process kills it. */
  readonly crash: { readonly write: number; readonly isCommitted: boolean } | null;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as PayoutProcessPlan;
const affkit = createAffkit({
  engine: withCrash(openDatabase(plan.database)),
  secret: SECRET,
  now: () => plan.now,
  payoutProviders: [createPayPalProvider(plan.paypal)],
  payoutWorkspaces: 'all',
});
while (await sendPayouts(affkit.runtime));
await affkit.close();

function withCrash(engine: Engine): Engine {
  let writes = 0;
  const write: Engine['write'] = async (lane, work) => {
    writes += 1;
    const mustCrash = writes === plan.crash?.write;
    const result = await engine.write(lane, async (tx) => {
      const value = await work(tx);
      if (mustCrash && !plan.crash?.isCommitted) await crash();
      return value;
    });
    if (mustCrash) await crash();
    return result;
  };
  return { ...engine, write };
}

async function crash(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return await new Promise(() => {});
}
