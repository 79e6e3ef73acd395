import { postgresKinds } from '../support/engine-kinds.ts';
import { leadBatchContract } from './lead-batch-contract.ts';
import { leadBatchProperty } from './lead-batch-property.ts';

for (const [kind, open] of Object.entries(postgresKinds)) {
  leadBatchContract(kind, open);
  leadBatchProperty(kind, open, { short: 8, long: 1_000 });
}
