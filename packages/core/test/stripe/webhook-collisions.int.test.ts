import { engineKinds } from '../support/engine-kinds.ts';
import { webhookAndApiContract } from './webhook-and-api-contract.ts';
import { webhookCollisionContract } from './webhook-collision-contract.ts';

// Separate from the other webhook tests, which take equally long: test files run in parallel.
for (const [kind, open] of Object.entries(engineKinds)) {
  webhookCollisionContract(kind, open);
  webhookAndApiContract(kind, open);
}
