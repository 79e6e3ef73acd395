import { engineKinds } from '../support/engine-kinds.ts';
import { mergedRenewalContract } from './merged-renewal-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) mergedRenewalContract(kind, open);
