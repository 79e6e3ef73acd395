import { sqliteKinds } from './engine-kinds.ts';
import { trackingContract } from './tracking-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) trackingContract(kind, open);
