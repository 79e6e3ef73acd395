import { postgresKinds } from '../support/engine-kinds.ts';
import { eventPagesContract } from './event-pages-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) eventPagesContract(kind, open);
