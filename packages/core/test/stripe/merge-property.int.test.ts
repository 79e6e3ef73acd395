import { memoryKinds, postgresKinds } from '../support/engine-kinds.ts';
import { mergeProperty } from './merge-property.ts';

for (const [kind, open] of Object.entries(memoryKinds)) {
  mergeProperty(kind, open, { short: 30, long: 1_000 });
}

for (const [kind, open] of Object.entries(postgresKinds)) {
  mergeProperty(kind, open, { short: 10, long: 200 });
}
