import { newPostgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { clickStoreContract } from './click-store-contract.ts';

for (const [kind, open] of Object.entries({ ...sqliteKinds, ...newPostgresKinds })) {
  clickStoreContract(kind, open);
}
