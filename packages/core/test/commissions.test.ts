import { commissionContract } from './commission-contract.ts';
import { sqliteKinds } from './engine-kinds.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) commissionContract(kind, open);
