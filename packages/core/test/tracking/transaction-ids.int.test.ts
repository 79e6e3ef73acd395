import { postgresKinds } from '../support/engine-kinds.ts';
import { transactionIdSettings } from './transaction-id-settings.ts';

for (const [kind, open] of Object.entries(postgresKinds)) {
  transactionIdSettings(kind, open, { short: 2, long: 200 });
}
