import { engineKinds } from '../support/engine-kinds.ts';
import { totalsFailureContract } from './totals-failure-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) totalsFailureContract(kind, open);
