import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createAffkit } from '../../src/create-affkit.ts';
import { sendPayouts } from '../../src/jobs/send-payouts.ts';
import { createPayPalProvider, type PayPalSettings } from '../../src/payout-provider/paypal.ts';
import type { PayoutProvider } from '../../src/payout-provider/provider.ts';
import { createStripeProvider, type StripePayoutSettings } from '../../src/payout-provider/stripe.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { openDatabase } from '../durability/open-database.ts';
import { SECRET } from '../support/world.ts';

/** The payment service of a process. */
export type ProviderPlan =
  | { readonly name: 'paypal'; readonly settings: PayPalSettings }
  | { readonly name: 'stripe'; readonly settings: StripePayoutSettings };

/**
 * A process that sends payouts, and kills itself at a database transaction. It prints `ready`, starts at the
 * first input, and prints the number of payouts that it has sent.
 */
export interface PayoutProcessPlan {
  readonly database: string;
  readonly provider: ProviderPlan;
  /** The time of its clock, in epoch milliseconds. */
  readonly now: number;
  /**
   * The database transaction at which the process kills itself, counted from 1. Null if another process kills
   * this process.
   */
  readonly crash: { readonly write: number; readonly isCommitted: boolean } | null;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as PayoutProcessPlan;
let sent = 0;
const affkit = createAffkit({
  engine: withCrash(openDatabase(plan.database)),
  secret: SECRET,
  now: () => plan.now,
  payoutProviders: [countSent(createProvider(plan.provider))],
  payoutWorkspaces: 'all',
});
await affkit.runtime.engine.read.selectFrom('payout_transfers').select('state').limit(1).execute();
writeSync(1, 'ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
while (await sendPayouts(affkit.runtime));
writeSync(1, `${sent}\n`);
await affkit.close();

function createProvider(provider: ProviderPlan): PayoutProvider {
  return provider.name === 'paypal'
    ? createPayPalProvider(provider.settings)
    : createStripeProvider(provider.settings);
}

function countSent(provider: PayoutProvider): PayoutProvider {
  return {
    ...provider,
    send: (...payout) => {
      sent += 1;
      return provider.send(...payout);
    },
  };
}

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
