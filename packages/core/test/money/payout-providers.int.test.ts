import { engineKinds } from '../support/engine-kinds.ts';
import { payoutCancelContract } from './payout-cancel-contract.ts';
import { payoutEventContract } from './payout-event-contract.ts';
import { payoutOverdueContract } from './payout-overdue-contract.ts';
import { payoutProblemContract } from './payout-problem-contract.ts';
import { payoutProviderContract } from './payout-provider-contract.ts';
import { stripePayoutContract } from './stripe-payout-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) {
  payoutProviderContract(kind, open);
  payoutProblemContract(kind, open);
  stripePayoutContract(kind, open);
  payoutEventContract(kind, open);
  payoutCancelContract(kind, open);
  payoutOverdueContract(kind, open);
}
