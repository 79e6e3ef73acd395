import { engineKinds } from '../support/engine-kinds.ts';
import { adjustmentContract } from './adjustment-contract.ts';
import { bulkContract } from './bulk-contract.ts';
import { expectedTotalsContract } from './expected-totals-contract.ts';
import { payeeContract } from './payee-contract.ts';
import { payoutBatchContract } from './payout-batch-contract.ts';
import { payoutBatchMinimumContract } from './payout-batch-minimum-contract.ts';
import { payoutBatchRetryContract } from './payout-batch-retry-contract.ts';
import { payoutContract } from './payout-contract.ts';
import { payoutExportContract } from './payout-export-contract.ts';
import { payoutFileContract } from './payout-file-contract.ts';
import { payoutHistoryContract } from './payout-history-contract.ts';
import { payoutListContract } from './payout-list-contract.ts';
import { payoutRunContract } from './payout-run-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) {
  payoutContract(kind, open);
  payoutListContract(kind, open);
  payeeContract(kind, open);
  payoutBatchContract(kind, open);
  payoutBatchMinimumContract(kind, open);
  payoutBatchRetryContract(kind, open);
  payoutFileContract(kind, open);
  payoutRunContract(kind, open);
  expectedTotalsContract(kind, open);
  adjustmentContract(kind, open);
  bulkContract(kind, open);
  payoutExportContract(kind, open);
  payoutHistoryContract(kind, open);
}
