import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeAdapter } from '../../src/adapters/node.ts';
import { checkTotals, listProgramsWithTotals } from '../../src/reporting/totals.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { closeServer, listenOnLoopback } from '../support/loopback-server.ts';
import { openWorld, type World } from '../support/management-world.ts';
import { attackSeed, byDepth } from '../support/test-depth.ts';
import type { Scene } from './field-values.ts';
import { FuzzReport, fuzz } from './fuzz.ts';
import { type Client, connectTo } from './http-client.ts';
import { type Api, listOperations } from './operations.ts';
import { probes } from './probes.ts';
import { type Attack, randomAttacks } from './requests.ts';
import type { Tenant } from './tenant.ts';
import { changedTables, digestRows, PUBLIC_TABLES } from './tenant-rows.ts';
import { addTenant } from './tenants.ts';

const SEED = attackSeed();
/** Each batch has new tenants, because the requests of a batch revoke credentials and delete rows. */
const BATCHES = byDepth({ short: 1, long: 12 });
const BATCH_SIZE = byDepth({ short: 120, long: 1_000 });

type CreateAttacks = (scene: Scene, seed: number) => readonly Attack[];

export function fuzzContract(open: OpenEngine): void {
  let world: World;
  let client: Client;
  const server = createServer();
  const errors: unknown[] = [];
  const tenants: Tenant[] = [];
  const report = new FuzzReport();
  let api: Api;

  beforeAll(async () => {
    const error = (fields: unknown, message: unknown) => void errors.push({ fields, message });
    world = await openWorld(open, { logger: { info: () => {}, warn: () => {}, error } });
    api = listOperations(world.affkit.runtime);
    server.on('request', nodeAdapter(world.affkit));
    client = connectTo(Number(new URL(await listenOnLoopback(server)).port));
  });
  afterAll(async () => {
    client.close();
    await closeServer(server);
    await world.close();
  });

  /** Sends attacks with credentials of `own`, and expects that the rows of `foreign` do not change. */
  async function attack(own: Tenant, foreign: Tenant, seed: number, create: CreateAttacks): Promise<void> {
    await world.affkit.jobs.runOnce();
    const before = await digestRows(world.engine, foreign, PUBLIC_TABLES);
    const scene = { own, foreign, now: world.clock.now };
    await fuzz({ api, client, scene, tenants, seed }, create(scene, seed), report);
    await world.affkit.jobs.runOnce();
    const after = await digestRows(world.engine, foreign, PUBLIC_TABLES);
    expect({ faults: report.faults.join('\n'), errors }).toEqual({ faults: '', errors: [] });
    expect(changedTables(before, after)).toEqual([]);
  }

  async function addTenants(): Promise<readonly [Tenant, Tenant]> {
    const pair = [await addTenant(world), await addTenant(world)] as const;
    tenants.push(...pair);
    return pair;
  }

  it('each field and query parameter gets a documented response to each kind of hostile value', async () => {
    const [own, foreign] = await addTenants();
    await attack(own, foreign, SEED, (scene, seed) => probes(api, scene, seed));
  }, 900_000);

  it(`${BATCHES * BATCH_SIZE} random requests get documented responses`, async () => {
    console.log(`To repeat these requests, set AFFKIT_TEST_SEED=${SEED}.`);
    for (let batch = 0; batch < BATCHES; batch++) {
      const [first, second] = await addTenants();
      const create: CreateAttacks = (scene, seed) =>
        randomAttacks(api, scene, { seed, count: BATCH_SIZE / 2 });
      await attack(first, second, SEED + 2 * batch, create);
      await attack(second, first, SEED + 2 * batch + 1, create);
    }
    expect(report.responses).toBeGreaterThanOrEqual(BATCHES * BATCH_SIZE);
    expect(report.countOf((status) => status < 300) / report.responses).toBeGreaterThan(0.2);
    // Requests are random, so some operations may get no valid request. Up to three operations may never succeed.
    expect(byDepth({ short: [], long: report.neverSucceeded() }).slice(3)).toEqual([]);
  }, 900_000);

  it('balances, totals and the ledger are consistent after all requests', async () => {
    const { engine, affkit } = world;
    expect(await auditLedger(engine)).toEqual([]);
    expect((await verifyLedger(affkit.runtime, null)).fault).toBe(null);
    for (const programId of await listProgramsWithTotals(affkit.runtime))
      expect(await checkTotals(affkit.runtime, programId)).toEqual([]);
  });
}
