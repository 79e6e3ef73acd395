import { commissionDecisionContract } from './commission-decision-contract.ts';
import { postgresKinds } from './engine-kinds.ts';

for (const [kind, open] of Object.entries(postgresKinds)) commissionDecisionContract(kind, open);
