import { engineKinds } from '../support/engine-kinds.ts';
import { paymentIdExpiryContract } from './payment-id-expiry-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) paymentIdExpiryContract(kind, open);
