import { memoryKinds, postgresKinds } from '../support/engine-kinds.ts';
import { renewalOrderProperty } from './renewal-order-property.ts';

for (const [kind, open] of Object.entries(memoryKinds)) {
  renewalOrderProperty(kind, open, { short: 25, long: 500 });
}

for (const [kind, open] of Object.entries(postgresKinds)) {
  renewalOrderProperty(kind, open, { short: 6, long: 100 });
}
