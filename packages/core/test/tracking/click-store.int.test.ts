import { newPostgresKinds, newSqliteKinds } from '../support/engine-kinds.ts';
import { clickStoreContract } from './click-store-contract.ts';

for (const [kind, open] of Object.entries({ ...newSqliteKinds, ...newPostgresKinds })) {
  clickStoreContract(kind, open);
}
