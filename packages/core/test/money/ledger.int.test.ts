import { engineKinds } from '../support/engine-kinds.ts';
import { ledgerAuditContract } from './ledger-audit-contract.ts';
import { ledgerChainContract } from './ledger-chain-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) {
  ledgerChainContract(kind, open);
  ledgerAuditContract(kind, open);
}
