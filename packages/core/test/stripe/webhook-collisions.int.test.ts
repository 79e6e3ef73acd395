import { postgresKinds } from '../support/engine-kinds.ts';
import { webhookAndApiContract } from './two-reports-contract.ts';
import { webhookCollisionContract } from './webhook-collision-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) {
  webhookCollisionContract(kind, open);
  webhookAndApiContract(kind, open);
}
