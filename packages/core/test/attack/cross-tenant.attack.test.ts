import { describe } from 'vitest';
import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { crossTenantContract } from './cross-tenant-contract.ts';

describe.each(Object.entries({ ...sqliteKinds, ...postgresKinds }))('on %s', (_kind, open) =>
  crossTenantContract(open),
);
