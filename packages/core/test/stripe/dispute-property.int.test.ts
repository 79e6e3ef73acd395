import { memoryKinds, postgresKinds } from '../support/engine-kinds.ts';
import { disputeProperty } from './dispute-property.ts';

for (const [kind, open] of Object.entries(memoryKinds)) {
  disputeProperty(kind, open, { short: 20, long: 2_000 });
}

for (const [kind, open] of Object.entries(postgresKinds)) {
  disputeProperty(kind, open, { short: 6, long: 300 });
}
