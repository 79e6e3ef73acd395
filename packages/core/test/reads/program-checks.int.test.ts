import { engineKinds } from '../support/engine-kinds.ts';
import { breakdownContract } from './breakdown-contract.ts';
import { programSetupContract } from './program-setup-contract.ts';
import { refusalsContract } from './refusals-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) {
  refusalsContract(kind, open);
  programSetupContract(kind, open);
  breakdownContract(kind, open);
}
