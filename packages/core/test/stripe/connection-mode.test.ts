import { sqliteKinds } from '../support/engine-kinds.ts';
import { connectionModeContract } from './connection-mode-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) connectionModeContract(kind, open);
