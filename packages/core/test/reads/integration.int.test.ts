import { engineKinds } from '../support/engine-kinds.ts';
import { testChainContract } from '../tracking/test-chain-contract.ts';
import { integrationContract } from './integration-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) {
  integrationContract(kind, open);
  testChainContract(kind, open);
}
