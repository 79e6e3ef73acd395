import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Engine, Replica } from '../../src/storage/database/engine/engine.ts';
import { type PostgresOptions, postgresEngine } from '../../src/storage/postgres.ts';
import { type PostgresServer, startPostgres, startReplica } from '../support/postgres-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeWorld, type Reply, signInOwner, type World } from '../support/world.ts';

let primary: PostgresServer;
let replicaServer: PostgresServer;
let url: string;
let name: string;
/** Connects directly to the replica, for the statements that the tests run there. */
let onReplica: Engine;

beforeAll(async () => {
  primary = await startPostgres({ skipFsync: true });
  replicaServer = await startReplica(primary);
  onReplica = postgresEngine({ connectionString: replicaServer.url() });
});
afterAll(async () => {
  await onReplica.close();
  await replicaServer.stop();
  await primary.stop();
});

let world: World;
let owner: { authorization: string };
const engines: Engine[] = [];

beforeEach(async () => {
  url = await primary.createDatabase();
  name = new URL(url).pathname.slice(1);
});
afterEach(async () => {
  await resumeReplay();
  for (const engine of engines.splice(0)) await engine.close();
});

function open(options: Partial<PostgresOptions> = {}): Engine & { replica: Replica } {
  const readConnectionString = replicaServer.url(name);
  const engine = postgresEngine({ connectionString: url, readConnectionString, ...options });
  engines.push(engine);
  if (!engine.replica) throw new Error('The engine has no replica');
  return { ...engine, replica: engine.replica };
}

async function openWorld(options: Partial<PostgresOptions> = {}): Promise<Replica> {
  const engine = open(options);
  world = await makeWorld(engine);
  owner = await signInOwner(world);
  return engine.replica;
}

const resumeReplay = () => sql`SELECT pg_wal_replay_resume()`.execute(onReplica.read);
const pauseReplay = async () => {
  await sql`SELECT pg_wal_replay_pause()`.execute(onReplica.read);
  await waitUntil(async () => {
    const { rows } = await sql<{ state: string }>`SELECT pg_get_wal_replay_pause_state() AS state`.execute(
      onReplica.read,
    );
    return rows[0]?.state === 'paused';
  });
};
const catchUp = (replica: Replica) => waitUntil(() => replica.state().status === 'used');

const PROGRAM = () => `/api/advertiser/affiliate-programs/${world.program.id}`;
const read = (path: string, headers: Record<string, string> = {}) =>
  world.call('GET', path, undefined, { ...owner, ...headers });
const listCodes = async (headers: Record<string, string> = {}) => {
  const { status, body } = await read(`${PROGRAM()}/links`, headers);
  expect(status).toBe(200);
  return (body['data'] as { short_link: string }[]).map(({ short_link }) => short_link).sort();
};
const addLink = (code: string) =>
  world.call('POST', `${PROGRAM()}/links`, { partner_id: world.anna.partnerId, short_link: code }, owner);
const changedCookieOf = ({ headers }: Reply) => {
  const cookie = headers['set-cookie']?.split('\n').find((each) => each.startsWith('affkit-changed='));
  expect(cookie).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
  return { cookie: cookie?.split(';')[0] ?? '' };
};

/** Replay is paused. Lists still use the replica, because these tests accept a lag of up to an hour. */
describe('while replay is paused', () => {
  let replica: Replica;
  beforeEach(async () => {
    replica = await openWorld({ maxReplicaLagMs: 3_600_000 });
    await catchUp(replica);
    // Lists use the replica even if it has not replayed the latest rows yet, so wait for these rows.
    await waitUntil(async () => (await listCodes()).length === 2);
    await pauseReplay();
  });

  test('lists and exports are stale, but each user sees their own changes on every server', async () => {
    const change = await addLink('carol');
    expect(change.status).toBe(201);
    expect(await listCodes()).toEqual(['anna', 'ben']);
    expect(await listCodes(changedCookieOf(change))).toEqual(['anna', 'ben', 'carol']);
    expect(await listCodes({ 'cache-control': 'max-age=0, no-cache' })).toEqual(['anna', 'ben', 'carol']);
    await resumeReplay();
    await waitUntil(async () => (await listCodes()).length === 3);
  });

  test('decisions about requests use only the primary', async () => {
    const click_id = await world.click('anna');
    const sale = { transaction_id: 't1', amount_cents: 1000, click_id };
    expect(await world.track('sale', sale)).toMatchObject({ status: 200 });
    expect(await world.track('sale', sale)).toMatchObject({ status: 409 });
    expect(await world.track('refund', { transaction_id: 't1' })).toMatchObject({ status: 200 });
    expect((await world.balances()).program).toEqual({ USD: 0 });

    const { body } = await world.call('POST', `${PROGRAM()}/regenerate-api-token`, {}, owner);
    expect(body).toMatchObject({ success: true });
    expect(await world.track('sale', { ...sale, transaction_id: 't2' })).toMatchObject({ status: 401 });

    const user = await world.engine.read.selectFrom('users').select('id').executeTakeFirstOrThrow();
    await world.engine.write(0, (tx) =>
      tx.db.deleteFrom('sessions').where('user_id', '=', user.id).execute(),
    );
    expect((await read(`${PROGRAM()}/links`)).status).toBe(401);
  });

  test('breakdowns say that events which the replica does not have yet are not counted', async () => {
    const clickedAt = world.clock.now;
    await world.click('anna');
    await world.affkit.jobs.runOnce();
    await waitUntil(() => (replica.state().lagMs ?? 0) > 100);
    world.clock.now += 100;
    const { body } = await read(`${PROGRAM()}/breakdown`);
    expect(body['data']).toEqual([]);
    const { as_of: asOf } = body['meta'] as { as_of: string };
    expect(Date.parse(asOf)).toBeLessThanOrEqual(clickedAt);
  });

  test('the state of the replica shows the growing lag', async () => {
    await addLink('carol');
    const { lagMs: first } = replica.state();
    await waitUntil(() => (replica.state().lagMs ?? 0) > (first ?? 0) + 500);
    expect(replica.state()).toMatchObject({ status: 'used' });
  });
});

test('lists use the primary when the replica is too far behind', async () => {
  const replica = await openWorld({ maxReplicaLagMs: 1_500 });
  await catchUp(replica);
  await pauseReplay();
  await addLink('carol');
  await waitUntil(() => replica.state().status === 'behind');
  expect(await listCodes()).toEqual(['anna', 'ben', 'carol']);
  await resumeReplay();
  await catchUp(replica);
  expect(await listCodes()).toEqual(['anna', 'ben', 'carol']);
});

test('lists, series and exports use the replica; single rows and access use the primary', async () => {
  const replica = await openWorld();
  await catchUp(replica);
  const readsOf = async (path: string) => {
    const before = replica.state().reads;
    expect((await read(path)).status).toBe(200);
    const after = replica.state().reads;
    return { replica: after.replica > before.replica, primary: after.primary > before.primary };
  };
  for (const path of [
    'links',
    'links.csv',
    'commissions',
    'payouts',
    'partners',
    'top?by=partner',
    'series',
    'customers',
  ]) {
    expect([path, await readsOf(`${PROGRAM()}/${path}`)]).toEqual([path, { replica: true, primary: false }]);
  }
  expect(await readsOf(PROGRAM())).toEqual({ replica: false, primary: false });
});

test('lists use the primary when the replica is unavailable', async () => {
  const replica = await openWorld();
  await catchUp(replica);
  await replicaServer.kill();
  expect(await listCodes()).toEqual(['anna', 'ben']);
  await waitUntil(() => replica.state().status === 'away');
  expect(await listCodes()).toEqual(['anna', 'ben']);
  const csv = await read(`${PROGRAM()}/links.csv`);
  expect(csv.status).toBe(200);
  await replicaServer.restart();
  await catchUp(replica);
});

test('lists use the primary when readConnectionString points to a server that is not a replica', async () => {
  const replica = await openWorld({ readConnectionString: url });
  await waitUntil(() => replica.state().status === 'not_a_replica');
  expect(await listCodes()).toEqual(['anna', 'ben']);
  expect(replica.state().reads.replica).toBe(0);
});

test('measures the lag with a role that is not a superuser', async () => {
  const admin = postgresEngine({ connectionString: url });
  await sql`CREATE ROLE reader LOGIN PASSWORD 'reader'`.execute(admin.read);
  await admin.close();
  const as = (from: string) => Object.assign(new URL(from), { username: 'reader', password: 'reader' }).href;
  const { replica } = open({ connectionString: as(url), readConnectionString: as(replicaServer.url(name)) });
  await catchUp(replica);
});
