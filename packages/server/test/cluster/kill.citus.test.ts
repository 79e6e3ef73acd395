import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CitusNode, startNode } from '../../../../deploy/citus/cluster.ts';
import { openDatabase } from '../../../core/test/durability/open-database.ts';
import {
  type CitusServers,
  distributeDatabase,
  killNode,
  query,
  runOnNodes,
  startCitus,
  withDatabase,
} from '../../../core/test/support/citus-server.ts';
import { expectConsistent, prepareDatabase } from '../database-fixture.ts';
import { startLoad } from '../load.ts';
import { runServer } from '../server-process.ts';

const BATCH = 60;
const ROUNDS = 2;
const WORKERS = 3;

let citus: CitusServers;

beforeAll(async () => {
  citus = await startCitus({ workers: WORKERS, skipFsync: false });
});

afterAll(() => citus.stop());

/** Creates a distributed database with a program. */
async function prepareCluster(name: string) {
  await runOnNodes(citus.url, 'postgres', `CREATE DATABASE ${name}`);
  const url = withDatabase(citus.url, name);
  const engine = openDatabase(url);
  await distributeDatabase(citus.url, name, engine);
  await engine.close();
  return await prepareDatabase(url);
}

/** Finishes the transactions that were prepared when a server was killed. */
async function recover(database: string): Promise<void> {
  await query(database, 'SELECT recover_prepared_transactions()');
}

const restart = async (node: CitusNode) => {
  await killNode(node);
  startNode(citus.cluster, node);
};

test.each([
  ['a worker', 'worker', () => restart(citus.cluster.workers[0] ?? citus.cluster.coordinator)],
  ['the coordinator', 'coordinator', () => restart(citus.cluster.coordinator)],
] as const)(
  'stores each acknowledged event once when %s is killed under load and restarted',
  async (_title, name, restartNode) => {
    const { database, token, code, env } = await prepareCluster(`kill_${name}`);
    const server = runServer(env);
    const url = `http://127.0.0.1:${await server.listening}`;
    const load = startLoad({ urls: [url], token, code, prefix: 'one', visitors: 6, buyers: 4 });
    for (let round = 0; round < ROUNDS; round++) {
      await load.acknowledged(load.lines.length + BATCH);
      await restartNode();
    }
    await load.acknowledged(load.lines.length + BATCH);
    await load.stop();
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    await recover(database);
    expect(server.stdout.filter((line) => line.includes('"msg":"request failed"'))).toEqual([]);
    await expectConsistent(database, load.lines);
  },
);

test('stores each acknowledged event once while one of two Affkit servers is killed', async () => {
  const { database, token, code, env } = await prepareCluster('kill_node');
  const servers = [runServer(env), runServer(env)];
  const urls = await Promise.all(servers.map(async (server) => `http://127.0.0.1:${await server.listening}`));
  const load = startLoad({ urls, token, code, prefix: 'one', visitors: 6, buyers: 4 });
  await load.acknowledged(load.lines.length + BATCH);
  servers[0]?.child.kill('SIGKILL');
  load.urls = urls.slice(1);
  await load.acknowledged(load.lines.length + BATCH);
  await load.stop();
  servers[1]?.child.kill('SIGTERM');
  expect(await servers[1]?.exited).toBe(0);
  await recover(database);
  await expectConsistent(database, load.lines);
});
