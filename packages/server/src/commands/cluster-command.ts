import {
  ClusterError,
  type ClusterStatus,
  type Engine,
  type InitOptions,
  initCluster,
  planRebalance,
  readClusterStatus,
  type ShardMove,
} from '@affkit/core';
import { CommandError, type CommandOutput, type CommandResult } from './command-result.ts';
import { formatBytes } from './format-bytes.ts';

export type ClusterAction =
  | { readonly name: 'init'; readonly shards: number | undefined; readonly movesRows: boolean }
  | { readonly name: 'status' | 'rebalance-plan' };

/**
 * Distributes the tables on a Citus cluster, or describes the cluster. `status` and `rebalance-plan` change
 * nothing, and can be run while servers are running. The exit code of `status` is 1 if a table is not as expected.
 * @throws CommandError if the database is not on a cluster
 */
export async function clusterCommand(
  engine: Engine,
  action: ClusterAction,
  output: CommandOutput,
): Promise<CommandResult> {
  try {
    return await run(engine, action, output);
  } catch (error) {
    if (error instanceof ClusterError) throw new CommandError(error.message);
    throw error;
  }
}

async function run(engine: Engine, action: ClusterAction, output: CommandOutput): Promise<CommandResult> {
  if (action.name === 'init') return init(engine, action, output);
  if (action.name === 'status') {
    const status = await readClusterStatus({ engine });
    return {
      exitCode: status.problems.length === 0 ? 0 : 1,
      data: status,
      lines: describeStatus(status),
    };
  }
  const moves = await planRebalance({ engine });
  return { exitCode: 0, data: moves, lines: describePlan(moves) };
}

async function init(
  engine: Engine,
  options: Pick<InitOptions, 'shards' | 'movesRows'>,
  { printLine, progress }: CommandOutput,
): Promise<CommandResult> {
  const steps: string[] = [];
  await initCluster(
    { engine },
    {
      ...options,
      onStep: (step, fraction) => {
        steps.push(step);
        printLine(step);
        progress.show('Distributing the tables', fraction);
      },
    },
  );
  const result =
    steps.length === 0
      ? 'The tables are distributed already.'
      : 'The tables are distributed. Start the servers.';
  return { exitCode: 0, data: { steps }, lines: [result] };
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
    `Citus ${status.citusVersion}, ${status.foreignKeys} foreign keys, ${status.preparedTransactions} prepared transactions`,
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
