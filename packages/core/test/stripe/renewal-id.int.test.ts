import { engineKinds } from '../support/engine-kinds.ts';
import { renewalIdContract } from './renewal-id-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) renewalIdContract(kind, open);
