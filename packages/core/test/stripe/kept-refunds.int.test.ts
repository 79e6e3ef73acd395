import { engineKinds } from '../support/engine-kinds.ts';
import { keptRefundContract } from './kept-refund-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) keptRefundContract(kind, open);
