import { describe } from 'vitest';
import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { fuzzContract } from './fuzz-contract.ts';

describe.each(Object.entries({ ...sqliteKinds, ...postgresKinds }))('on %s', (_kind, open) =>
  fuzzContract(open),
);
