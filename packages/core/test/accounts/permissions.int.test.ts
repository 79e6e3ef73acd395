import { describe } from 'vitest';
import { foreignRowsContract } from '../programs/foreign-rows-contract.ts';
import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { permissionContract } from './permission-contract.ts';

const engines = [
  ...Object.entries(sqliteKinds).map(([kind, open]) => ({ kind, open, step: 1 })),
  ...Object.entries(postgresKinds).map(([kind, open]) => ({ kind, open, step: 4 })),
];

describe.each(engines)('on $kind', ({ open, step }) => {
  describe('every route', () => permissionContract(open, step));
  describe('rows of other workspaces and programs', () => foreignRowsContract(open));
});
