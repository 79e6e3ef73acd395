import { engineKinds } from '../support/engine-kinds.ts';
import { webhookEventContract } from './webhook-event-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) webhookEventContract(kind, open);
