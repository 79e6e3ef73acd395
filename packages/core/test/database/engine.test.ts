import { memoryKinds } from '../support/engine-kinds.ts';
import { engineContract } from './engine-contract.ts';

for (const [kind, open] of Object.entries(memoryKinds)) engineContract(kind, open);
