import { postgresKinds } from './engine-kinds.ts';
import { trackingContract } from './tracking-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) trackingContract(kind, open);
