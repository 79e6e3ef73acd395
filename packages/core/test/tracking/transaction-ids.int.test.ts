import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { transactionIdSettings } from './transaction-id-settings.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) {
  transactionIdSettings(kind, open, { short: 5, long: 500 }, true);
}

for (const [kind, open] of Object.entries(postgresKinds)) {
  transactionIdSettings(kind, open, { short: 2, long: 200 }, false);
}
