import { postgresKinds } from '../support/engine-kinds.ts';
import { clickStoreContract } from './click-store-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) clickStoreContract(kind, open);
