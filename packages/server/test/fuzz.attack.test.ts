import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { verifyLedger } from '@affkit/core';
import { expect, inject, it, onTestFinished } from 'vitest';
import { FuzzReport, fuzz } from '../../core/test/attack/fuzz.ts';
import { connectTo } from '../../core/test/attack/http-client.ts';
import { listOperations } from '../../core/test/attack/operations.ts';
import { randomAttacks } from '../../core/test/attack/requests.ts';
import type { Tenant } from '../../core/test/attack/tenant.ts';
import { addTenant } from '../../core/test/attack/tenants.ts';
import { openDatabase } from '../../core/test/durability/open-database.ts';
import { auditLedger } from '../../core/test/support/audit-ledger.ts';
import { openWorld, SECRET } from '../../core/test/support/management-world.ts';
import { createMigratedDatabase, dropDatabase } from '../../core/test/support/postgres-server.ts';
import { findMemoryFolder } from '../../core/test/support/temp-folder.ts';
import { attackSeed, byDepth } from '../../core/test/support/test-depth.ts';
import { describeRoutes } from '../src/route-descriptions.ts';
import { prepareTracker, readTracker } from '../src/tracker-script.ts';
import { runServer } from './server-process.ts';

/** The number of tenants. Each tenant attacks the next tenant. */
const TENANTS = byDepth({ short: 2, long: 6 });
const REQUESTS_EACH = byDepth({ short: 60, long: 400 });
const MAX_RSS_BYTES = 400 * 1024 * 1024;
const SEED = attackSeed();

const onSqlite = {
  SQLite: async () => {
    const folder = mkdtempSync(join(findMemoryFolder(), 'affkit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return join(folder, 'affkit.db');
  },
};
const onPostgres = {
  Postgres: async () => {
    const url = await createMigratedDatabase(inject('postgresUrl'));
    onTestFinished(() => dropDatabase(url));
    return url;
  },
};
const databases = byDepth({ short: onSqlite, long: { ...onSqlite, ...onPostgres } });

it.each(Object.entries(databases))(
  `on %s, the server survives ${TENANTS * REQUESTS_EACH} random requests within its memory bound`,
  { timeout: 600_000 },
  async (kind, create) => {
    console.log(`To repeat these requests, set AFFKIT_TEST_SEED=${SEED}.`);
    const database = await create();
    const { tenants, api } = await addTenants(database);
    const server = runServer({
      DATABASE_URL: kind === 'SQLite' ? `sqlite:${database}` : database,
      AFFKIT_SECRET: SECRET,
      PUBLIC_RATE_LIMIT: '0',
      LOG_LEVEL: 'error',
    });
    const client = connectTo(await server.listening);
    const report = new FuzzReport();
    for (const [index, own] of tenants.entries()) {
      const foreign = tenants[(index + 1) % tenants.length] ?? own;
      const scene = { own, foreign, now: Date.now(), hasHugeHeaders: true };
      const seed = SEED + index;
      const attacks = randomAttacks(api, scene, { seed, count: REQUESTS_EACH });
      await fuzz({ api, client, scene, tenants, seed }, attacks, report);
    }
    client.close();
    const bytes = rssBytesOf(server.child.pid ?? 0);
    const logged = server.stdout.filter((line) => !line.includes('"msg":"listening"'));
    expect({ faults: report.faults.join('\n'), logged, stderr: server.stderr }).toEqual({
      faults: '',
      logged: [],
      stderr: [],
    });
    expect(report.responses).toBe(TENANTS * REQUESTS_EACH);
    expect(bytes).toBeLessThan(MAX_RSS_BYTES);
    expect((await server.send('/readyz')).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    await expectConsistent(database);
  },
);

/** Creates the tenants before the server starts. Uses the real clock, like the server. */
async function addTenants(database: string) {
  const world = await openWorld(async () => openDatabase(database), { now: Date.now });
  const tenants: Tenant[] = [];
  for (let count = 0; count < TENANTS; count++) tenants.push(await addTenant(world));
  const api = listOperations(
    world.affkit.runtime,
    describeRoutes({
      tracker: prepareTracker(readTracker()),
      hasDashboard: true,
    }),
  );
  await world.close();
  return { tenants, api };
}

function rssBytesOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

async function expectConsistent(database: string): Promise<void> {
  const engine = openDatabase(database);
  try {
    expect(await auditLedger(engine)).toEqual([]);
    expect((await verifyLedger({ engine }, null)).fault).toBe(null);
  } finally {
    await engine.close();
  }
}
