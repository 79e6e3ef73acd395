import { engineKinds } from '../support/engine-kinds.ts';
import { eventPagesContract } from './event-pages-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) eventPagesContract(kind, open);
