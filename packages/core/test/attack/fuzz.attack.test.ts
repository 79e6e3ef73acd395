import { describe } from 'vitest';
import { newPostgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { fuzzContract } from './fuzz-contract.ts';

describe.each(Object.entries({ ...sqliteKinds, ...newPostgresKinds }))('on %s', (_kind, open) =>
  fuzzContract(open),
);
