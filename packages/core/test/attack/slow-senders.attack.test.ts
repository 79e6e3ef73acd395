import { webhookBodyContract } from '../stripe/webhook-body-contract.ts';
import { newPostgresKinds, newSqliteKinds } from '../support/engine-kinds.ts';

for (const [kind, open] of Object.entries({ ...newSqliteKinds, ...newPostgresKinds })) {
  webhookBodyContract(kind, open);
}
