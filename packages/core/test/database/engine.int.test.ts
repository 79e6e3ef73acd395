import { newPostgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { engineContract } from './engine-contract.ts';

for (const [kind, open] of Object.entries({ ...sqliteKinds, ...newPostgresKinds }))
  engineContract(kind, open);
