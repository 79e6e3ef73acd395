import { engineKinds } from '../support/engine-kinds.ts';
import { webhookChangeContract } from './webhook-change-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) webhookChangeContract(kind, open);
