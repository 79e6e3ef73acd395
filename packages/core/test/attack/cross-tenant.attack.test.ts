import { describe } from 'vitest';
import { newPostgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { crossTenantContract } from './cross-tenant-contract.ts';

describe.each(Object.entries({ ...sqliteKinds, ...newPostgresKinds }))('on %s', (_kind, open) =>
  crossTenantContract(open),
);
