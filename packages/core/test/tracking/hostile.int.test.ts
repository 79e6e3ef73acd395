import { engineKinds } from '../support/engine-kinds.ts';
import { hostileContract } from './hostile-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) hostileContract(kind, open);
