import { describe } from 'vitest';
import { foreignRowsContract } from '../programs/foreign-rows-contract.ts';
import { engineKinds } from '../support/engine-kinds.ts';
import { permissionContract } from './permission-contract.ts';

describe.each(Object.entries(engineKinds))('on %s', (_kind, open) => {
  describe('every route', () => permissionContract(open));
  describe('rows of other workspaces and programs', () => foreignRowsContract(open));
});
