import { postgresKinds } from '../support/engine-kinds.ts';
import { hostileContract } from './hostile-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) hostileContract(kind, open);
