import { postgresKinds } from '../support/engine-kinds.ts';
import { readsProperty } from './reads-property.ts';

const RUNS = Number(process.env['AFFKIT_DIFFERENTIAL_RUNS'] ?? 15);

for (const [kind, open] of Object.entries(postgresKinds)) readsProperty(kind, open, RUNS);
