import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { leadBatchContract } from './lead-batch-contract.ts';
import { leadBatchProperty } from './lead-batch-property.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) {
  leadBatchContract(kind, open);
  leadBatchProperty(kind, open, { short: 15, long: 2_000 });
}

for (const [kind, open] of Object.entries(postgresKinds)) {
  leadBatchContract(kind, open);
  leadBatchProperty(kind, open, { short: 8, long: 1_000 });
}
