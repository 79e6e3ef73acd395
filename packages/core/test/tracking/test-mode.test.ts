import { sqliteKinds } from '../support/engine-kinds.ts';
import { testModeContract } from './test-mode-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) testModeContract(kind, open);
