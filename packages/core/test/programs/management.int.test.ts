import { describe } from 'vitest';
import { engineKinds } from '../support/engine-kinds.ts';
import { managementContract } from './management-contract.ts';
import { partnerImportContract } from './partner-import-contract.ts';
import { payoutDetailsContract } from './payout-details-contract.ts';

describe.each(Object.entries(engineKinds))('on %s', (_kind, open) => {
  managementContract(open);
  describe('payout details', () => payoutDetailsContract(open));
});

for (const [kind, open] of Object.entries(engineKinds)) partnerImportContract(kind, open);
