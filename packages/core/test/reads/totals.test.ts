import { sqliteKinds } from '../support/engine-kinds.ts';
import { totalsContract } from './totals-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) totalsContract(kind, open);
