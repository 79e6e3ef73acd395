import { postgresKinds } from './engine-kinds.ts';
import { moneyContract } from './money-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) moneyContract(kind, open);
