import { engineKinds } from '../support/engine-kinds.ts';
import { webhookIsolationContract } from './webhook-isolation-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) webhookIsolationContract(kind, open);
