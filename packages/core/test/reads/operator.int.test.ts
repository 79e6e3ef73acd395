import { engineKinds } from '../support/engine-kinds.ts';
import { operatorContract } from './operator-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) operatorContract(kind, open);
