import { engineKinds } from '../support/engine-kinds.ts';
import { duplicateAdjustmentContract } from './duplicate-adjustment-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) duplicateAdjustmentContract(kind, open);
