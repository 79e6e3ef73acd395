import { memoryKinds, postgresKinds } from '../support/engine-kinds.ts';
import { paymentLifeProperty } from './payment-life-property.ts';

for (const [kind, open] of Object.entries(memoryKinds)) {
  paymentLifeProperty(kind, open, { short: 12, long: 1_500 });
}

for (const [kind, open] of Object.entries(postgresKinds)) {
  paymentLifeProperty(kind, open, { short: 3, long: 200 });
}
