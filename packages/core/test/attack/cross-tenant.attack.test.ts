import { describe } from 'vitest';
import { newPostgresKinds, newSqliteKinds } from '../support/engine-kinds.ts';
import { crossTenantContract } from './cross-tenant-contract.ts';

describe.each(Object.entries({ ...newSqliteKinds, ...newPostgresKinds }))('on %s', (_kind, open) =>
  crossTenantContract(open),
);
