import { engineKinds } from '../support/engine-kinds.ts';
import { webhookSourceContract } from './webhook-source-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) webhookSourceContract(kind, open);
