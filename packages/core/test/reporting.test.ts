import { dashboardContract } from './dashboard-contract.ts';
import { sqliteKinds } from './engine-kinds.ts';
import { reportingContract } from './reporting-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) {
  reportingContract(kind, open);
  dashboardContract(kind, open);
}
