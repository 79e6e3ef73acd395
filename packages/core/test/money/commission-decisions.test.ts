import { sqliteKinds } from '../support/engine-kinds.ts';
import { commissionDecisionContract } from './commission-decision-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) commissionDecisionContract(kind, open);
