import { engineKinds } from '../support/engine-kinds.ts';
import { importedRenewalContract } from './imported-renewal-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) importedRenewalContract(kind, open);
