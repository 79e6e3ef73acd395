import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CitusNode,
  createCluster,
  deleteCluster,
  findCitus,
  nodesOf,
  urlOf,
} from '../../deploy/citus/cluster.ts';
import { initCluster } from '../../packages/core/src/storage/database/cluster/init.ts';
import { postgresEngine } from '../../packages/core/src/storage/postgres.ts';

/** A Postgres server whose CPU time is measured. */
export interface MeasuredServer {
  readonly name: string;
  readonly pid: number;
}

/** A Citus cluster on this machine, with a migrated and distributed database. */
export interface BenchCluster {
  readonly url: string;
  /** The coordinator, then the workers. */
  readonly servers: readonly MeasuredServer[];
  /** Stops the servers and deletes their data. */
  delete(): void;
}

/**
 * Whether `CITUS_BIN` is set. This variable is the path of the folder with the executables of a Postgres that has
 * Citus. If it is not set, the suite measures no cluster.
 */
export function hasCitus(): boolean {
  return Boolean(process.env['CITUS_BIN']);
}

/** Starts a cluster. @param ports unused ports, one for the coordinator and one for each worker */
export async function startCluster(ports: readonly [number, ...number[]]): Promise<BenchCluster> {
  // If this process runs as root, the servers run as another user, who must be able to read the folder.
  const folder = mkdtempSync(join(tmpdir(), 'affkit-citus-'));
  chmodSync(folder, 0o755);
  const cluster = createCluster({ folder, binaries: findCitus(), ports });
  try {
    const url = urlOf(cluster, cluster.coordinator);
    const engine = postgresEngine({ connectionString: url });
    await engine.migrate();
    await initCluster({ engine }, { movesRows: false, onStep: () => {} });
    await engine.close();
    return { url, servers: nodesOf(cluster).map(measuredServer), delete: () => deleteCluster(cluster) };
  } catch (error) {
    deleteCluster(cluster);
    throw error;
  }
}

function measuredServer({ name, data }: CitusNode): MeasuredServer {
  const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  return { name, pid: Number(pid) };
}
