import { engineKinds } from '../support/engine-kinds.ts';
import { webhookAndApiContract } from './webhook-and-api-contract.ts';
import { webhookCollisionContract } from './webhook-collision-contract.ts';

// These tests have their own file, so that they run in parallel with the other webhook tests.
for (const [kind, open] of Object.entries(engineKinds)) {
  webhookCollisionContract(kind, open);
  webhookAndApiContract(kind, open);
}
