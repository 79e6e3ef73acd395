import {
  ClusterError,
  type ClusterStatus,
  type Engine,
  initCluster,
  planRebalance,
  readClusterStatus,
  type ShardMove,
} from '@affkit/core';
import { formatBytes } from '../format-bytes.ts';
import type { PrintLine } from './programs-command.ts';

export type ClusterAction =
  | { readonly name: 'init'; readonly shards: number; readonly movesRows: boolean }
  | { readonly name: 'status' | 'rebalance-plan'; readonly json: boolean };

/**
 * Distributes the tables on a Citus cluster, or describes the cluster. `status` and `rebalance-plan` change
 * nothing, and can be run while servers are running.
 * @returns the exit code: 1 if a table is not as expected, or the database is not on a cluster
 */
export async function clusterCommand(
  engine: Engine,
  action: ClusterAction,
  print: PrintLine,
): Promise<number> {
  try {
    return await run(engine, action, print);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    print(error.message);
    return 1;
  }
}

async function run(engine: Engine, action: ClusterAction, print: PrintLine): Promise<number> {
  if (action.name === 'init') {
    let steps = 0;
    await initCluster(
      { engine },
      {
        ...action,
        onStep: (step) => {
          steps += 1;
          print(step);
        },
      },
    );
    print(
      steps === 0 ? 'The tables are distributed already.' : 'The tables are distributed. Start the servers.',
    );
    return 0;
  }
  if (action.name === 'status') {
    const status = await readClusterStatus({ engine });
    for (const line of action.json ? [JSON.stringify(status, null, 2)] : describeStatus(status)) print(line);
    return status.problems.length === 0 ? 0 : 1;
  }
  const moves = await planRebalance({ engine });
  for (const line of action.json ? [JSON.stringify(moves, null, 2)] : describePlan(moves)) print(line);
  return 0;
}

export function describeStatus(status: ClusterStatus): string[] {
  const nodes = status.nodes.map(({ host, port, isCoordinator, isActive, shards, bytes }) => {
    const role = isCoordinator ? 'coordinator' : 'worker';
    return `${role} ${host}:${port}: ${isActive ? '' : 'not active, '}${shards} shards, ${formatBytes(bytes)}`;
  });
  const tables = status.tables.map(
    ({ table, placement, shards, bytes }) =>
      `${table}: ${placement}${shards > 0 ? `, ${shards} shards` : ''}, ${formatBytes(bytes)}`,
  );
  const problems =
    status.problems.length === 0
      ? ['All tables are as expected.']
      : [...status.problems, 'Run "affkit cluster init".'];
  return [
    `Citus ${status.citusVersion}, ${status.foreignKeys} foreign keys, ${status.preparedTransactions} transactions to finish`,
    ...nodes,
    ...tables,
    ...problems,
  ];
}

export function describePlan(moves: readonly ShardMove[]): string[] {
  if (moves.length === 0) return ['The shards are balanced.'];
  const total = moves.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    ...moves.map(
      ({ table, shard, bytes, from, to }) =>
        `${table}, shard ${shard}, ${formatBytes(bytes)}: ${from} to ${to}`,
    ),
    `${moves.length} shards, ${formatBytes(total)}. To move them: SELECT citus_rebalance_start();`,
  ];
}
