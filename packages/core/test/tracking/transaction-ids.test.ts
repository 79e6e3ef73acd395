import { sqliteKinds } from '../support/engine-kinds.ts';
import { transactionIdContract } from './transaction-id-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) transactionIdContract(kind, open);
