import { sqliteKinds } from '../support/engine-kinds.ts';
import { readsProperty } from './reads-property.ts';

const RUNS = Number(process.env['AFFKIT_HISTORY_RUNS'] ?? 20);

for (const [kind, open] of Object.entries(sqliteKinds)) readsProperty(kind, open, RUNS);
