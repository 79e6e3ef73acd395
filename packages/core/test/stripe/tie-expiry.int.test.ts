import { engineKinds } from '../support/engine-kinds.ts';
import { tieExpiryContract } from './tie-expiry-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) tieExpiryContract(kind, open);
