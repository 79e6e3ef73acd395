import { clickStoreContract } from './click-store-contract.ts';
import { sqliteKinds } from './engine-kinds.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) clickStoreContract(kind, open);
