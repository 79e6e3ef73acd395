import { describe } from 'vitest';
import { newPostgresKinds, newSqliteKinds } from '../support/engine-kinds.ts';
import { fuzzContract } from './fuzz-contract.ts';

describe.each(Object.entries({ ...newSqliteKinds, ...newPostgresKinds }))('on %s', (_kind, open) =>
  fuzzContract(open),
);
