import { describe } from 'vitest';
import { sqliteKinds } from '../support/engine-kinds.ts';
import { managementContract } from './management-contract.ts';
import { partnerImportContract } from './partner-import-contract.ts';

describe.each(Object.entries(sqliteKinds))('on %s', (_kind, open) => managementContract(open));

for (const [kind, open] of Object.entries(sqliteKinds)) partnerImportContract(kind, open);
