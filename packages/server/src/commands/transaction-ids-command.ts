import { changeTransactionIds, type Engine } from '@affkit/core';
import type { TransactionIds } from '../config.ts';
import type { CommandResult } from './command-result.ts';

/** Changes the scope in which transaction ids must be unique. Stop every server that uses the database first. */
export async function transactionIdsCommand(engine: Engine, scope: TransactionIds): Promise<CommandResult> {
  const shared = await changeTransactionIds({ engine }, scope);
  return { exitCode: 0, data: { scope, sharedIds: shared }, lines: describeChange(scope, shared) };
}

/** @param shared the number of transaction ids that occur in sales of several workspaces */
export function describeChange(scope: TransactionIds, shared: number): string[] {
  const next = `Start every server with TRANSACTION_IDS=${scope}.`;
  if (scope === 'workspace') return ['Transaction ids must now be unique in their workspace.', next];
  const changed = 'Transaction ids must now be unique in the whole service.';
  if (shared === 0) return [changed, next];
  const ids = shared === 1 ? '1 id belongs' : `${shared} ids belong`;
  return [changed, `${ids} to sales in several workspaces. Each workspace keeps its own sale.`, next];
}
