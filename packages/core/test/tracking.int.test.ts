import { clickContract } from './click-contract.ts';
import { postgresKinds } from './engine-kinds.ts';
import { leadContract } from './lead-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) {
  clickContract(kind, open);
  leadContract(kind, open);
}
