import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { insertUser, SERVICE_LANE } from '../../src/storage/accounts/users.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { throughPooler } from '../support/pgbouncer.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { SILENT } from '../support/silent-logger.ts';
import { cachedPasswordHash, createSession } from '../support/users.ts';
import { createCaller, makeWorld, SECRET, signInOwner, type World } from '../support/world.ts';

// Two instances on one database share no memory, like two servers. Each test first uses a row on the other
// server, which caches the row. The test then changes the row on this server, and uses the row on the other
// server again.
let url: string;
let world: World;
let callThere: World['call'];
let owner: { authorization: string };
let closeThere: () => Promise<void>;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWorld(postgresEngine(throughPooler(url)));
  owner = await signInOwner(world);
  const there = createAffkit({
    engine: postgresEngine(throughPooler(url)),
    secret: SECRET,
    now: () => world.clock.now,
    logger: SILENT,
  });
  callThere = createCaller(there);
  closeThere = () => there.close();
});
afterEach(async () => {
  await closeThere();
  await world.affkit.close();
  await dropDatabase(url);
});

const PROGRAM = () => `/api/advertiser/affiliate-programs/${world.program.id}`;
const changeHere = async (method: string, path: string, body?: unknown) => {
  const reply = await world.call(method, path, body, owner);
  expect([200, 201], JSON.stringify(reply.body)).toContain(reply.status);
  return reply.body['data'] as Record<string, unknown> & { id: number };
};
const clickThere = (origin = 'https://shop.example') =>
  callThere(
    'POST',
    '/api/v1/track/click',
    { affiliate_url: 'https://shop.example/?aff=anna' },
    { origin, 'sec-fetch-site': 'cross-site' },
  );
const saleThere = (fields: object, token = world.token) =>
  callThere(
    'POST',
    '/api/v1/track/sale',
    { amount_cents: 1000, ...fields },
    { authorization: `Bearer ${token}` },
  );
/** Sends two clicks, because only the second one uses the cached link. */
async function warmLinkThere(): Promise<string> {
  await clickThere();
  const { status, body } = await clickThere();
  expect(status).toBe(200);
  return String(body['click_id']);
}

test('a rotated tracking token is rejected immediately', async () => {
  const click_id = await warmLinkThere();
  expect((await saleThere({ transaction_id: 't1', click_id })).status).toBe(200);
  const { body } = await world.call('POST', `${PROGRAM()}/regenerate-api-token`, {}, owner);
  expect((await saleThere({ transaction_id: 't2', click_id })).status).toBe(401);
  const token = (body['data'] as { api_token: string }).api_token;
  expect((await saleThere({ transaction_id: 't2', click_id }, token)).status).toBe(200);
});

test('a deactivated link stops recording clicks immediately', async () => {
  await warmLinkThere();
  const link = await world.engine.read
    .selectFrom('links')
    .select('id')
    .where('short_link', '=', 'anna')
    .executeTakeFirstOrThrow();
  await changeHere('PUT', `${PROGRAM()}/links/${link.id}`, { status: 'inactive' });
  expect((await clickThere()).body).not.toHaveProperty('click_id');
  await changeHere('PUT', `${PROGRAM()}/links/${link.id}`, { status: 'active' });
  expect((await clickThere()).body).toHaveProperty('click_id');
});

test('clicks with an unknown code are recorded as soon as a link with this code exists', async () => {
  const click = () =>
    callThere('POST', '/api/v1/track/click', { affiliate_url: 'https://shop.example/?aff=carol' });
  expect((await click()).status).toBe(400);
  expect((await click()).status).toBe(400);
  await changeHere('POST', `${PROGRAM()}/links`, { partner_id: world.anna.partnerId, short_link: 'carol' });
  expect((await click()).status).toBe(200);
});

test('changed allowed origins apply to the next click', async () => {
  await changeHere('PUT', PROGRAM(), { require_origin: true });
  await warmLinkThere();
  await changeHere('PUT', PROGRAM(), { allowed_origins: ['https://other.example'] });
  expect((await clickThere()).status).toBe(403);
  expect((await clickThere('https://other.example')).status).toBe(200);
});

test('a changed policy applies to the next sale', async () => {
  const click_id = await warmLinkThere();
  const first = await saleThere({ transaction_id: 't1', click_id });
  expect(first.status).toBe(200);
  expect((await world.balances()).program).toEqual({ USD: 200 });
  const [policy] = (await world.call('GET', `${PROGRAM()}/commission-policies`, undefined, owner)).body[
    'data'
  ] as { id: number }[];
  await changeHere('PUT', `${PROGRAM()}/commission-policies/${policy?.id}`, { rate: 50 });
  expect((await saleThere({ transaction_id: 't2', click_id })).status).toBe(200);
  expect((await world.balances()).program).toEqual({ USD: 700 });
});

test('clicks and sales of a deleted program are rejected immediately', async () => {
  const click_id = await warmLinkThere();
  await changeHere('DELETE', PROGRAM());
  expect((await clickThere()).status).toBe(400);
  expect((await saleThere({ transaction_id: 't1', click_id })).status).toBe(401);
});

test('a revoked key is rejected immediately', async () => {
  const { id, key } = await changeHere('POST', '/api/advertiser/api-keys', {
    name: 'Reports',
    scopes: ['link:list'],
    workspace_id: world.workspaceId,
  });
  const list = () =>
    callThere('GET', `${PROGRAM()}/links`, undefined, { authorization: `Bearer ${String(key)}` });
  expect((await list()).status).toBe(200);
  await changeHere('DELETE', `/api/advertiser/api-keys/${id}`);
  expect((await list()).status).toBe(401);
});

test('an ended session is rejected immediately', async () => {
  const listThere = () => callThere('GET', `${PROGRAM()}/links`, undefined, owner);
  expect((await listThere()).status).toBe(200);
  expect((await world.call('POST', '/api/auth/logout', {}, owner)).status).toBe(200);
  expect((await listThere()).status).toBe(401);
});

test('a removed member loses access immediately', async () => {
  const { affkit, clock, workspaceId } = world;
  const passwordHash = await cachedPasswordHash('correct horse battery');
  const { userId, memberId } = await world.engine.write(SERVICE_LANE, async (tx) => {
    const user = { email: 'mia@shop.example', name: 'Mia', passwordHash, at: clock.now };
    const userId = await insertUser(tx, user);
    const member = {
      workspace_id: workspaceId,
      user_id: userId,
      role: 'admin',
      created_at: clock.now,
    } as const;
    const row = await tx.db.insertInto('members').values(member).returning('id').executeTakeFirstOrThrow();
    return { userId, memberId: row.id };
  });
  const { token } = await createSession(affkit.runtime, userId);
  const list = () => callThere('GET', `${PROGRAM()}/links`, undefined, { authorization: `Bearer ${token}` });
  expect((await list()).status).toBe(200);
  await changeHere('DELETE', `/api/advertiser/members/${memberId}`);
  expect((await list()).status).toBe(401);
});

test('failed sign-ins count on all servers together', async () => {
  const logIn = (call: World['call'], password: string) =>
    call('POST', '/api/auth/login', { email: 'owner@shop.example', password });
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt++) {
    statuses.push((await logIn(attempt % 2 ? world.call : callThere, 'wrong password')).status);
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.slice(10)).toEqual([429, 429]);
  expect((await logIn(callThere, 'correct horse battery')).status).toBe(429);
});
