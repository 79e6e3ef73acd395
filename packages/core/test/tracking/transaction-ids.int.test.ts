import { postgresKinds } from '../support/engine-kinds.ts';
import { transactionIdContract } from './transaction-id-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) transactionIdContract(kind, open);
