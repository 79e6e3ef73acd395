import { engineKinds } from '../support/engine-kinds.ts';
import { refundWithoutCommissionContract } from './refund-without-commission-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) refundWithoutCommissionContract(kind, open);
