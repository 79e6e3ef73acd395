import { clickStoreContract } from './click-store-contract.ts';
import { postgresKinds } from './engine-kinds.ts';

for (const [kind, open] of Object.entries(postgresKinds)) clickStoreContract(kind, open);
