import { sqliteKinds } from '../support/engine-kinds.ts';
import { leadBatchContract } from './lead-batch-contract.ts';
import { leadBatchProperty } from './lead-batch-property.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) {
  leadBatchContract(kind, open);
  leadBatchProperty(kind, open, { short: 15, long: 2_000 });
}
