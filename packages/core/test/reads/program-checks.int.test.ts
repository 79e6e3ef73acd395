import { postgresKinds } from '../support/engine-kinds.ts';
import { refusalsContract } from './refusals-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) {
  refusalsContract(kind, open);
}
