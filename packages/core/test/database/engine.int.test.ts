import { newPostgresKinds, newSqliteKinds } from '../support/engine-kinds.ts';
import { engineContract } from './engine-contract.ts';

for (const [kind, open] of Object.entries({ ...newSqliteKinds, ...newPostgresKinds }))
  engineContract(kind, open);
