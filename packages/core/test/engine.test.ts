import { engineContract } from './engine-contract.ts';
import { sqliteKinds } from './engine-kinds.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) engineContract(kind, open);
