import { commissionDecisionContract } from './commission-decision-contract.ts';
import { sqliteKinds } from './engine-kinds.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) commissionDecisionContract(kind, open);
