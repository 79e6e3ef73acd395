import { engineKinds } from '../support/engine-kinds.ts';
import { waitingPaymentContract } from './waiting-payment-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) waitingPaymentContract(kind, open);
