import { describe } from 'vitest';
import { sqliteKinds } from '../support/engine-kinds.ts';
import { managementContract } from './management-contract.ts';

describe.each(Object.entries(sqliteKinds))('on %s', (_kind, open) => managementContract(open));
