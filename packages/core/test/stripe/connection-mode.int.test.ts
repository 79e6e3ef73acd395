import { engineKinds } from '../support/engine-kinds.ts';
import { connectionModeContract } from './connection-mode-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) connectionModeContract(kind, open);
