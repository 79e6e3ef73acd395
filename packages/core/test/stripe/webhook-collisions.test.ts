import { sqliteKinds } from '../support/engine-kinds.ts';
import { webhookAndApiContract } from './webhook-and-api-contract.ts';
import { webhookCollisionContract } from './webhook-collision-contract.ts';

// A file of its own beside the other webhooks: it takes as long as they do, and files run side by side.
for (const [kind, open] of Object.entries(sqliteKinds)) {
  webhookCollisionContract(kind, open);
  webhookAndApiContract(kind, open);
}
