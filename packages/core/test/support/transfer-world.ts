import { expect } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { createApiKey } from '../../src/management/api-keys.ts';
import { createPartner } from '../../src/management/partners.ts';
import { createPolicy } from '../../src/management/policies.ts';
import { createProgram } from '../../src/management/programs.ts';
import { createWorkspace } from '../../src/management/workspaces.ts';
import { checkBreakdowns } from '../../src/reporting/breakdowns.ts';
import { checkTotals, listProgramsWithTotals } from '../../src/reporting/totals.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { insertUser, SERVICE_LANE } from '../../src/storage/accounts/users.ts';
import type { Engine, Transaction } from '../../src/storage/database/engine/engine.ts';
import { lockPartner } from '../../src/storage/programs/partners.ts';
import { findProgram } from '../../src/storage/programs/programs.ts';
import { createRandom } from './create-random.ts';
import { DAY, type PayoutWorld, payoutWorldOn } from './payout-world.ts';
import { addRareRows } from './rare-rows.ts';
import { SILENT } from './silent-logger.ts';
import { createCaller, enroll, makeWorld, SECRET, START, unwrap, type World } from './world.ts';

interface History {
  readonly world: PayoutWorld;
  readonly clickIds: readonly string[];
}

/**
 * Records a random history in which every table of an export has rows. Rows of rarely used tables are stored
 * directly.
 */
export async function recordHistory(engine: Engine, seed: number, steps: number): Promise<History> {
  const world = await payoutWorldOn(await makeWorld(engine, { hold_days: 3, cookie_window_days: 30 }));
  const { program, affkit } = world;
  unwrap(await createPolicy(affkit.runtime, program, { type: 'percent', rate: 7.5, product_id: 'pro' }));
  const link = { partner_id: world.anna.partnerId, short_link: 'Anna-Blog' };
  expect((await world.ask('POST', '/links', link)).body).toMatchObject({ success: true });
  const random = createRandom(seed);
  const clickIds: string[] = [];
  const sales: string[] = [];
  const commissions: number[] = [];
  const payouts: number[] = [];
  const click = async () => {
    const code = ['anna', 'ben', 'Anna-Blog'][random(3)] ?? 'anna';
    const earlier = clickIds[random(clickIds.length * 3)];
    const clickId = await world.click(code, {
      page_url: `https://shop.example/?aff=${code}&sub_id=s${random(3)}`,
      ...(earlier === undefined ? {} : { existing_click_id: earlier }),
    });
    if (!clickIds.includes(clickId)) clickIds.push(clickId);
    return clickId;
  };
  for (let step = 0; step < steps; step++) {
    world.clock.now += random(DAY / 8);
    const commission = commissions[random(commissions.length)] ?? 0;
    switch (random(10)) {
      case 0:
      case 1:
        await click();
        break;
      case 2: {
        const clickId = await click();
        await world.track('lead', {
          click_id: clickId,
          customer_key: `user-${clickIds.length}`,
          email: `user${step}@mail.example`,
        });
        break;
      }
      case 3:
      case 4:
      case 5: {
        const customer = random(clickIds.length || 1);
        const transactionId = `order-${seed}-${step}`;
        const { body } = await world.track('sale', {
          transaction_id: transactionId,
          amount_cents: 100 + random(9_000),
          click_id: clickIds[customer] ?? (await click()),
          currency: random(4) === 0 ? 'EUR' : 'USD',
          processor_refs: [`pi_${seed}_${step}`],
          ...(random(2) === 0 ? { subscription_id: `sub-${customer}` } : {}),
          ...(random(3) === 0
            ? {
                line_items: {
                  data: [
                    { product_id: 'pro', amount_cents: 60 },
                    { product_id: 'other', amount_cents: 40 },
                  ],
                },
              }
            : {}),
        });
        sales.push(transactionId);
        if (typeof body['commission_id'] === 'number') commissions.push(body['commission_id']);
        break;
      }
      case 6:
        await world.refund(sales[random(sales.length)] ?? '', random(3) * 50);
        break;
      case 7:
        if (random(2) === 0) {
          await world.ask('POST', `/commissions/${commission}/${random(3) ? 'approve' : 'reject'}`);
        } else {
          const amount_cents = (random(2) ? 1 : -1) * (1 + random(90));
          await world.adjust(commission, { amount_cents, reason: 'a correction' });
        }
        break;
      case 8:
        payouts.push(...(await world.payOut()).map(({ id }) => id));
        break;
      default:
        await world.end(payouts[random(payouts.length)] ?? 0, random(3) ? 'mark-paid' : 'cancel');
    }
  }
  await cancelPayout(world);
  await affkit.jobs.runOnce();
  await addRareRows(world);
  // Affkit stores test events separately, and does not export them.
  await world.track('sale', { transaction_id: 'test-1', amount_cents: 500, test_mode: true });
  await affkit.jobs.runOnce();
  return { world, clickIds };
}

async function cancelPayout(world: PayoutWorld): Promise<void> {
  await world.sell('order-cancelled', 5_000);
  world.clock.now += 4 * DAY;
  await world.affkit.jobs.runOnce();
  for (const { id } of await world.payOut()) await world.end(id, 'cancel');
}

/** An installation that imports a program. */
export interface Target {
  readonly engine: Engine;
  readonly affkit: World['affkit'];
  readonly workspaceId: number;
}

/**
 * Creates an installation with a workspace.
 * @param isUsed whether the installation already has another program, with Anna as one of its partners
 */
export async function openTarget(engine: Engine, isUsed: boolean, clock = { now: START }): Promise<Target> {
  const affkit = createAffkit({ engine, secret: SECRET, now: () => clock.now, logger: SILENT });
  await affkit.migrate();
  const ownerId = await engine.write(SERVICE_LANE, (tx) =>
    insertUser(tx, { email: 'new@shop.example', name: 'owner', passwordHash: 'x', at: START }),
  );
  const { id: workspaceId } = await createWorkspace(affkit.runtime, { name: 'New', ownerId });
  if (!isUsed) return { engine, affkit, workspaceId };
  const { program, apiToken } = unwrap(
    await createProgram(affkit.runtime, workspaceId, {
      name: 'Other',
      site_url: 'https://other.example',
      commission: { type: 'percent', rate: 10 },
    }),
  );
  await enroll(affkit, program, 'carl');
  await createPartnerWithCode(affkit, program, 'anna', 'anna-elsewhere');
  const call = createCaller(affkit);
  const { body } = await call('POST', '/api/v1/track/click', {
    affiliate_url: 'https://other.example/?aff=anna-elsewhere',
  });
  const sale = { transaction_id: 'other-1', amount_cents: 5_000, click_id: body['click_id'] };
  await call('POST', '/api/v1/track/sale', sale, { authorization: `Bearer ${apiToken}` });
  await affkit.jobs.runOnce();
  return { engine, affkit, workspaceId };
}

/**
 * Invites a partner of the target with a management key that is limited to the target's own program.
 * @returns the token of the invitation
 */
export async function inviteByLimitedKey(
  { engine: { read }, affkit, workspaceId }: Target,
  email: string,
): Promise<string> {
  const owner = await read.selectFrom('members').select('user_id').executeTakeFirstOrThrow();
  const program = await read.selectFrom('programs').select('id').executeTakeFirstOrThrow();
  const partner = await read
    .selectFrom('partners')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  const creator = { workspaceId, userId: owner.user_id ?? 0 };
  const order = { name: 'limited', program_scope: [String(program.id)] };
  const { secret } = unwrap(await createApiKey(affkit.runtime, creator, order));
  const path = `/api/advertiser/affiliate-programs/${program.id}/partners/${partner.id}/invite`;
  const headers = { authorization: `Bearer ${secret}` };
  const { body } = await createCaller(affkit)('POST', path, undefined, headers);
  return (body['data'] as { readonly invite_token: string }).invite_token;
}

/** Runs `work` while the target's invitations are visible only to a transaction that has locked their partner. */
export async function whileInvitationsAreUncommitted(
  { engine, workspaceId }: Target,
  email: string,
  work: () => Promise<void>,
): Promise<void> {
  const setExpiry = (tx: Transaction, expiresAt: number) =>
    tx.db.updateTable('invites').set({ expires_at: expiresAt }).execute();
  await engine.write(workspaceId, (tx) => setExpiry(tx, 0));
  const partners = engine.read.selectFrom('partners').where('email', '=', email);
  const { id } = await partners.select('id').executeTakeFirstOrThrow();
  await engine.write(SERVICE_LANE, async (tx) => {
    await lockPartner(tx, id);
    await setExpiry(tx, Date.now() + DAY);
    await work();
  });
}

async function createPartnerWithCode(
  affkit: World['affkit'],
  program: Parameters<typeof enroll>[1],
  name: string,
  code: string,
): Promise<void> {
  const input = { name, email: `${name}@partner.example`, code };
  unwrap(await createPartner(affkit.runtime, program, input, null));
}

/** Returns the helpers of a world for a program that was imported. */
export async function worldOfImport(
  { engine, affkit, workspaceId }: Target,
  programId: number,
  source: World,
): Promise<PayoutWorld> {
  const program = await findProgram(engine.read, programId);
  if (!program) throw new Error(`Program ${programId} is not visible`);
  const partnerId = async (email: string) => {
    const { id } = await engine.read
      .selectFrom('partners')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    return id;
  };
  return await payoutWorldOn({
    ...source,
    engine,
    affkit,
    workspaceId,
    program,
    anna: { partnerId: await partnerId('anna@partner.example'), code: 'anna' },
    ben: { partnerId: await partnerId('ben@partner.example'), code: 'ben' },
    call: createCaller(affkit),
  });
}

/** Returns what the API returns about a program, without the ids of rows. */
export async function readProgramRecords(world: PayoutWorld, clickIds: readonly string[]) {
  const list = async (path: string) => (await world.ask('GET', `${path}?pageSize=100`)).body['data'];
  const traces: unknown[] = [];
  for (const clickId of clickIds) {
    traces.push((await world.ask('GET', `/trace?click_id=${clickId}`)).body['data']);
  }
  const balances = [await world.owed(world.anna.partnerId), await world.owed(world.ben.partnerId)];
  return withoutIds({
    balances,
    traces,
    partners: await list('/partners'),
    links: await list('/links'),
    policies: await list('/commission-policies'),
    commissions: await list('/commissions'),
    payouts: await list('/payouts'),
    customers: await list('/customers'),
  });
}

function withoutIds(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      /(?:^id|_id|_ids|hash)$/.test(key) && key !== 'click_id' && key !== 'transaction_id'
        ? undefined
        : inner,
    ),
  );
}

export async function expectConsistent({ engine, affkit }: Target): Promise<void> {
  await affkit.jobs.runOnce();
  for (const programId of await listProgramsWithTotals({ engine })) {
    expect(await checkTotals({ engine }, programId)).toEqual([]);
    expect(await checkBreakdowns({ engine }, programId)).toEqual([]);
  }
  expect(await verifyLedger({ engine }, null)).toMatchObject({ fault: null, unsealed: 0 });
}
