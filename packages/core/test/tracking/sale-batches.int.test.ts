import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { saleBatchProperty } from './sale-batch-property.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) {
  saleBatchProperty(kind, open, { short: 7, long: 1_000 });
}

for (const [kind, open] of Object.entries(postgresKinds)) {
  saleBatchProperty(kind, open, { short: 3, long: 300 });
}
