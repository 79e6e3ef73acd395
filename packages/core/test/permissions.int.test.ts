import { describe } from 'vitest';
import { postgresKinds } from './engine-kinds.ts';
import { foreignRowsContract } from './foreign-rows-contract.ts';
import { permissionContract } from './permission-contract.ts';

describe.each(Object.entries(postgresKinds))('on %s', (_kind, open) => {
  describe('every route', () => permissionContract(open));
  describe('what belongs to others', () => foreignRowsContract(open));
});
