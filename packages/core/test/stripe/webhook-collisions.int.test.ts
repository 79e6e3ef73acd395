import { postgresKinds } from '../support/engine-kinds.ts';
import { webhookAndApiContract } from './webhook-and-api-contract.ts';
import { webhookCollisionContract } from './webhook-collision-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) {
  webhookCollisionContract(kind, open);
  webhookAndApiContract(kind, open);
}
