import { postgresKinds } from '../support/engine-kinds.ts';
import { keptRefundContract } from './kept-refund-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) keptRefundContract(kind, open);
