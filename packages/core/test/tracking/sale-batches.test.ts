import { sqliteKinds } from '../support/engine-kinds.ts';
import { saleBatchProperty } from './sale-batch-property.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) saleBatchProperty(kind, open, 40);
