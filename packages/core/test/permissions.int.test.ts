import { describe } from 'vitest';
import { postgresKinds } from './engine-kinds.ts';
import { permissionContract } from './permission-contract.ts';

describe.each(Object.entries(postgresKinds))('on %s', (_kind, open) => {
  permissionContract(open);
});
