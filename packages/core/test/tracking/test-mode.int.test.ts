import { engineKinds } from '../support/engine-kinds.ts';
import { testModeContract } from './test-mode-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) testModeContract(kind, open);
