import { engineKinds } from '../support/engine-kinds.ts';
import { metricsFailureContract } from './metrics-failure-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) metricsFailureContract(kind, open);
