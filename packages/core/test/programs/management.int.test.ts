import { describe } from 'vitest';
import { postgresKinds } from '../support/engine-kinds.ts';
import { managementContract } from './management-contract.ts';

describe.each(Object.entries(postgresKinds))('on %s', (_kind, open) => managementContract(open));
