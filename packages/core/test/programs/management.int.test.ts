import { describe } from 'vitest';
import { postgresKinds } from '../support/engine-kinds.ts';
import { managementContract } from './management-contract.ts';
import { partnerImportContract } from './partner-import-contract.ts';

describe.each(Object.entries(postgresKinds))('on %s', (_kind, open) => managementContract(open));

for (const [kind, open] of Object.entries(postgresKinds)) partnerImportContract(kind, open);
