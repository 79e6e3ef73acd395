import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { readsProperty } from './reads-property.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) readsProperty(kind, open, { short: 7, long: 1_000 });
for (const [kind, open] of Object.entries(postgresKinds)) readsProperty(kind, open, { short: 4, long: 500 });
