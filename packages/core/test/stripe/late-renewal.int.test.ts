import { engineKinds } from '../support/engine-kinds.ts';
import { lateRenewalContract } from './late-renewal-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) lateRenewalContract(kind, open);
