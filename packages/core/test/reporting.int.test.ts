import { dashboardContract } from './dashboard-contract.ts';
import { postgresKinds } from './engine-kinds.ts';
import { reportingContract } from './reporting-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) {
  reportingContract(kind, open);
  dashboardContract(kind, open);
}
