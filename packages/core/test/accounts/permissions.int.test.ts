import { describe } from 'vitest';
import { foreignRowsContract } from '../programs/foreign-rows-contract.ts';
import { postgresKinds } from '../support/engine-kinds.ts';
import { permissionContract } from './permission-contract.ts';

describe.each(Object.entries(postgresKinds))('on %s', (_kind, open) => {
  describe('every route', () => permissionContract(open));
  describe('rows of others', () => foreignRowsContract(open));
});
