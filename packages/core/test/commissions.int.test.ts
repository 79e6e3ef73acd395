import { commissionContract } from './commission-contract.ts';
import { postgresKinds } from './engine-kinds.ts';

for (const [kind, open] of Object.entries(postgresKinds)) commissionContract(kind, open);
