import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createCluster,
  deleteCluster,
  findCitus,
  nodesOf,
  readCluster,
  startCluster,
  stopCluster,
  urlOf,
} from './cluster.ts';

const USAGE = `node deploy/citus/main.ts start [--folder citus-cluster] [--workers 3] [--port 7100]
node deploy/citus/main.ts stop [--folder citus-cluster]
node deploy/citus/main.ts delete [--folder citus-cluster]

start   creates the servers if the folder is missing, starts them, and prints DATABASE_URL.
stop    stops the servers. Their data remains.
delete  stops the servers and deletes the folder.

CITUS_BIN is the folder that contains initdb of a Postgres with Citus. By default, the PATH is searched.`;

const MAX_WORKERS = 32;

function start(folder: string, workerCount: number, firstPort: number): void {
  const existing = readCluster(folder);
  if (existing) startCluster(existing);
  const cluster =
    existing ??
    createCluster({
      folder,
      binaries: findCitus(),
      ports: [firstPort, ...Array.from({ length: workerCount }, (_, index) => firstPort + 1 + index)],
    });
  for (const { name, port } of nodesOf(cluster)) console.log(`${name}: port ${port}`);
  console.log(`DATABASE_URL=${urlOf(cluster, cluster.coordinator)}`);
}

function integerOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be an integer between ${min} and ${max}, got "${text}".`);
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      folder: { type: 'string', default: 'citus-cluster' },
      workers: { type: 'string', default: '3' },
      port: { type: 'string', default: '7100' },
    },
  });
  const [command, ...rest] = positionals;
  const folder = resolve(values.folder);
  if (rest.length > 0) throw new Error(USAGE);
  if (command === 'start') {
    const workers = integerOf('workers', values.workers, 1, MAX_WORKERS);
    start(folder, workers, integerOf('port', values.port, 1024, 65_535 - MAX_WORKERS));
    return;
  }
  if (command !== 'stop' && command !== 'delete') throw new Error(USAGE);
  const cluster = readCluster(folder);
  if (!cluster) throw new Error(`${folder} contains no cluster. Create it with "start".`);
  if (command === 'stop') stopCluster(cluster);
  else deleteCluster(cluster);
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
