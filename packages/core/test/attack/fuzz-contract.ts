import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeAdapter } from '../../src/adapters/node.ts';
import { checkTotals, listProgramsWithTotals } from '../../src/reporting/totals.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, type World } from '../support/management-world.ts';
import { attackSeed, byDepth } from '../support/test-depth.ts';
import { FuzzReport, fuzz } from './fuzz.ts';
import { type Client, connectTo } from './http-client.ts';
import { listOperations } from './operations.ts';
import { changedTables, digestRows, PUBLIC_TABLES } from './tenant-rows.ts';
import { addTenant, type Tenant } from './tenants.ts';

const SEED = attackSeed();
/** Each batch has new tenants, because the requests of a batch revoke credentials and delete rows. */
const BATCHES = byDepth({ short: 1, long: 12 });
const BATCH_SIZE = byDepth({ short: 240, long: 1_000 });

/** Sends random requests to every operation over HTTP, on any engine. */
export function fuzzContract(open: OpenEngine): void {
  let world: World;
  let client: Client;
  const server = createServer();
  const errors: unknown[] = [];
  const tenants: Tenant[] = [];

  beforeAll(async () => {
    const error = (fields: unknown, message: unknown) => void errors.push({ fields, message });
    world = await openWorld(open, { logger: { info: () => {}, warn: () => {}, error } });
    server.on('request', nodeAdapter(world.affkit));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    client = connectTo((server.address() as AddressInfo).port);
  });
  afterAll(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await world.close();
  });

  it(`${BATCHES * BATCH_SIZE} random requests get documented responses and change no rows of other tenants`, {
    timeout: 900_000,
  }, async () => {
    console.log(`To repeat these requests, set AFFKIT_TEST_SEED=${SEED}.`);
    const api = listOperations(world.affkit.runtime);
    const report = new FuzzReport();
    for (let batch = 0; batch < BATCHES && report.faults.length === 0; batch++) {
      const pair = [await addTenant(world), await addTenant(world)] as const;
      tenants.push(...pair);
      // Each of the two attacks the other.
      for (const [index, own] of pair.entries()) {
        const foreign = pair[1 - index] ?? own;
        await world.affkit.jobs.runOnce();
        const before = await digestRows(world.engine, foreign, PUBLIC_TABLES);
        const scene = { own, foreign, now: world.clock.now };
        const options = {
          api,
          client,
          scene,
          tenants,
          seed: SEED + 2 * batch + index,
          count: BATCH_SIZE / 2,
        };
        await fuzz(options, report);
        await world.affkit.jobs.runOnce();
        const after = await digestRows(world.engine, foreign, PUBLIC_TABLES);
        expect(changedTables(before, after)).toEqual([]);
      }
    }
    expect({ faults: report.faults.join('\n'), errors }).toEqual({ faults: '', errors: [] });
    expect(report.responses).toBe(BATCHES * BATCH_SIZE);
    expect(report.countOf((status) => status < 300) / report.responses).toBeGreaterThan(0.2);
    expect(byDepth({ short: [], long: report.neverSucceeded() })).toEqual([]);
  });

  it('balances, totals and the ledger are consistent afterwards', async () => {
    const { engine, affkit } = world;
    expect(await auditLedger(engine)).toEqual([]);
    expect((await verifyLedger(affkit.runtime, null)).fault).toBe(null);
    for (const programId of await listProgramsWithTotals(affkit.runtime))
      expect(await checkTotals(affkit.runtime, programId)).toEqual([]);
  });
}
