import { engineKinds } from '../support/engine-kinds.ts';
import { webhookDeliveryContract } from './webhook-delivery-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) webhookDeliveryContract(kind, open);
