import { changeTransactionIds, type Engine } from '@affkit/core';
import type { TransactionIds } from './config.ts';

export function isTransactionIds(word: string | undefined): word is TransactionIds {
  return word === 'service' || word === 'workspace';
}

/**
 * Changes where transaction ids are unique, and prints how many ids several workspaces use already. Every
 * server of the database must be stopped.
 * @returns the exit code: 0
 */
export async function transactionIdsCommand(
  engine: Engine,
  scope: TransactionIds,
  print: (line: string) => void,
): Promise<number> {
  const shared = await changeTransactionIds({ engine }, scope);
  const area = scope === 'service' ? 'the whole service' : 'their workspace';
  print(`Transaction ids must now be unique in ${area}.`);
  if (scope === 'service' && shared > 0) {
    const ids = shared === 1 ? '1 id is' : `${shared} ids are`;
    print(`${ids} used by several workspaces. Each of them keeps its sale.`);
  }
  print(`Start every server with TRANSACTION_IDS=${scope}.`);
  return 0;
}
