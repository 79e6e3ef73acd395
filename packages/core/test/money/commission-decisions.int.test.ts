import { engineKinds } from '../support/engine-kinds.ts';
import { commissionDecisionContract } from './commission-decision-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) commissionDecisionContract(kind, open);
