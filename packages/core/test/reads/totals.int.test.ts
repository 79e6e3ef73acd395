import { engineKinds } from '../support/engine-kinds.ts';
import { totalsContract } from './totals-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) totalsContract(kind, open);
