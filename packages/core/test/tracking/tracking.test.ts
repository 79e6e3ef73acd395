import { sqliteKinds } from '../support/engine-kinds.ts';
import { clickContract } from './click-contract.ts';
import { leadContract } from './lead-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) {
  clickContract(kind, open);
  leadContract(kind, open);
}
