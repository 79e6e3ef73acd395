import { webhookBodyContract } from '../stripe/webhook-body-contract.ts';
import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';

for (const [kind, open] of Object.entries({ ...sqliteKinds, ...postgresKinds })) {
  webhookBodyContract(kind, open);
}
