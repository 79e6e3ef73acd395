import { engineContract } from './engine-contract.ts';
import { postgresKinds } from './engine-kinds.ts';

for (const [kind, open] of Object.entries(postgresKinds)) engineContract(kind, open);
