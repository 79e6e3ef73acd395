import { sqliteKinds } from './engine-kinds.ts';
import { integrationContract } from './integration-contract.ts';
import { testChainContract } from './test-chain-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) {
  integrationContract(kind, open);
  testChainContract(kind, open);
}
