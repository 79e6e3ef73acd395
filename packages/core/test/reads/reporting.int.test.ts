import { engineKinds } from '../support/engine-kinds.ts';
import { amountOrderContract } from './amount-order-contract.ts';
import { csvExportContract } from './csv-export-contract.ts';
import { dashboardContract } from './dashboard-contract.ts';
import { dataSinceContract } from './data-since-contract.ts';
import { listContract } from './list-contract.ts';
import { listPagesContract } from './list-pages-contract.ts';
import { policySimulationContract } from './policy-simulation-contract.ts';
import { rankingContract } from './ranking-contract.ts';
import { reportingContract } from './reporting-contract.ts';
import { rowsContract } from './rows-contract.ts';
import { seriesContract } from './series-contract.ts';
import { subIdContract } from './sub-id-contract.ts';
import { traceClickContract } from './trace-click-contract.ts';
import { traceContract } from './trace-contract.ts';
import { traceMoneyContract } from './trace-money-contract.ts';
import { tracePartnerContract } from './trace-partner-contract.ts';
import { unreadContract } from './unread-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) {
  reportingContract(kind, open);
  policySimulationContract(kind, open);
  csvExportContract(kind, open);
  subIdContract(kind, open);
  rowsContract(kind, open);
  listContract(kind, open);
  amountOrderContract(kind, open);
  listPagesContract(kind, open);
  rankingContract(kind, open);
  dataSinceContract(kind, open);
  seriesContract(kind, open);
  unreadContract(kind, open);
  dashboardContract(kind, open);
  traceContract(kind, open);
  traceMoneyContract(kind, open);
  traceClickContract(kind, open);
  tracePartnerContract(kind, open);
}
