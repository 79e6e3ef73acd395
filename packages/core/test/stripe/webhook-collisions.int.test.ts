import { engineKinds } from '../support/engine-kinds.ts';
import { webhookAndApiContract } from './webhook-and-api-contract.ts';
import { webhookCollisionContract } from './webhook-collision-contract.ts';

// A separate file, so that these tests run in parallel with the other webhook tests.
for (const [kind, open] of Object.entries(engineKinds)) {
  webhookCollisionContract(kind, open);
  webhookAndApiContract(kind, open);
}
