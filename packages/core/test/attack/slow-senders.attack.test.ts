import { webhookBodyContract } from '../stripe/webhook-body-contract.ts';
import { newPostgresKinds, sqliteKinds } from '../support/engine-kinds.ts';

for (const [kind, open] of Object.entries({ ...sqliteKinds, ...newPostgresKinds })) {
  webhookBodyContract(kind, open);
}
