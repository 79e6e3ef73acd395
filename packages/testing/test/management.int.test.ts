import { describe } from 'vitest';
import { postgresKinds } from '../../core/test/support/engine-kinds.ts';
import { startTestAffkit } from '../src/test-affkit.ts';
import { managementContract } from './management-contract.ts';

describe.each(Object.entries(postgresKinds))('on %s', (_kind, open) =>
  managementContract(async () => startTestAffkit(await open(), { program: { hold_days: 0 } })),
);
