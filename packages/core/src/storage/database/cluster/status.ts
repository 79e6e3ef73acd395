import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema.ts';
import { requireCluster } from './init.ts';
import { describePlacement, layoutOf } from './layout.ts';
import { findMisplaced, readForeignKeys, readTables } from './tables.ts';

export interface ClusterNode {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
  readonly isActive: boolean;
  /** The number of shards of distributed tables that are on this node. */
  readonly shards: number;
  readonly bytes: number;
}

export interface ClusterTableStatus {
  readonly table: string;
  readonly placement: string;
  readonly reason: string | null;
  readonly shards: number;
  /** The size on all servers, including indexes and copies. */
  readonly bytes: number;
}

export interface ClusterStatus {
  readonly citusVersion: string;
  readonly nodes: readonly ClusterNode[];
  readonly tables: readonly ClusterTableStatus[];
  readonly foreignKeys: number;
  /**
   * The number of two-phase commits that are prepared but not finished. Citus finishes them automatically.
   */
  readonly preparedTransactions: number;
  /** The differences between the cluster and what the service expects. */
  readonly problems: readonly string[];
}

/** A shard that Citus would move, so that the workers have the same amount of data. */
export interface ShardMove {
  readonly table: string;
  readonly shard: number;
  readonly bytes: number;
  readonly from: string;
  readonly to: string;
}

/** @throws ClusterError when the database is not on a cluster */
export async function readClusterStatus({ engine }: { readonly engine: Engine }): Promise<ClusterStatus> {
  await requireCluster(engine);
  const { read } = engine;
  const tables = await readTables(read);
  const sizes = await readSizes(read);
  const { rows: versions } = await sql<{ version: string }>`SELECT extversion AS version FROM pg_extension
    WHERE extname = 'citus'`.execute(read);
  const { rows: prepared } = await sql<{ count: number }>`SELECT count(*) AS count
    FROM pg_dist_transaction`.execute(read);
  return {
    citusVersion: versions[0]?.version ?? '',
    nodes: await readNodes(read),
    tables: tables.map(({ name, placement }) => ({
      table: name,
      placement: placement.kind === 'unknown' ? 'unknown' : describePlacement(placement),
      reason: layoutOf(name)?.reason ?? null,
      shards: sizes.get(name)?.shards ?? 0,
      bytes: sizes.get(name)?.bytes ?? 0,
    })),
    foreignKeys: (await readForeignKeys(read)).length,
    preparedTransactions: prepared[0]?.count ?? 0,
    problems: findMisplaced(tables).map(({ message }) => message),
  };
}

/** Lists the shards that Citus would move. It moves nothing. @throws ClusterError */
export async function planRebalance({ engine }: { readonly engine: Engine }): Promise<ShardMove[]> {
  await requireCluster(engine);
  const { rows } =
    await sql<ShardMove>`SELECT table_name::text AS "table", shardid AS shard, shard_size AS bytes,
      sourcename || ':' || sourceport AS "from", targetname || ':' || targetport AS "to"
    FROM get_rebalance_table_shards_plan()`.execute(engine.read);
  return rows;
}

async function readNodes(db: Kysely<Schema>): Promise<ClusterNode[]> {
  const { rows } = await sql<{
    host: string;
    port: number;
    group: number;
    active: boolean;
    shards: number;
    bytes: number;
  }>`SELECT n.nodename AS host, n.nodeport AS port, n.groupid AS "group", n.isactive AS active,
      count(DISTINCT s.shardid) AS shards, COALESCE(sum(s.shard_size), 0)::bigint AS bytes
    FROM pg_dist_node AS n LEFT JOIN citus_shards AS s ON s.nodename = n.nodename AND s.nodeport = n.nodeport
      AND s.citus_table_type = 'distributed'
    WHERE n.noderole = 'primary' GROUP BY 1, 2, 3, 4 ORDER BY "group"`.execute(db);
  return rows.map(({ host, port, group, active, shards, bytes }) => ({
    host,
    port,
    isCoordinator: group === 0,
    isActive: active,
    shards,
    bytes,
  }));
}

async function readSizes(db: Kysely<Schema>): Promise<Map<string, { shards: number; bytes: number }>> {
  const { rows } = await sql<{ table: string; shards: number; bytes: number }>`
    SELECT table_name::text AS "table", count(DISTINCT shardid) AS shards, sum(shard_size)::bigint AS bytes
    FROM citus_shards GROUP BY 1
    UNION ALL
    SELECT c.relname, 0, pg_total_relation_size(c.oid) FROM pg_class AS c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
      AND NOT EXISTS (SELECT FROM pg_dist_partition AS p WHERE p.logicalrelid = c.oid)`.execute(db);
  return new Map(rows.map(({ table, ...size }) => [table, size]));
}
