import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  runConcurrently,
  type SignedUp,
  type World,
} from '../support/management-world.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const KEYS = '/api/advertiser/api-keys';

interface KeyData {
  readonly data: { readonly id: number; readonly key: string; readonly scopes: readonly string[] };
}
interface ListOf<T> {
  readonly data: readonly T[];
}

export function accessContract(open: OpenEngine): void {
  let world: World;
  let owner: SignedUp & { readonly workspaceId: number };
  let programId: number;
  let trackingToken: string;

  beforeAll(async () => {
    world = await openWorld(open);
    owner = await world.owner();
    const program = await addProgram(owner.token);
    programId = program.id;
    trackingToken = program.api_token;
  });
  afterAll(() => world.close());

  const call = <T = unknown>(method: string, path: string, token: string, body?: unknown) =>
    world.call<T>(method, path, { token, body });
  async function addProgram(token: string) {
    const body = {
      name: 'Shop',
      site_url: 'https://shop.example',
      commission: { type: 'flat', amount_cents: 5 },
    };
    type Created = { data: { id: number; api_token: string } };
    return (await call<Created>('POST', PROGRAMS, token, body)).body.data;
  }
  const makeKey = async (fields: object = {}, token = owner.token) =>
    (await call<KeyData>('POST', KEYS, token, { name: 'CI', ...fields })).body.data;
  const setRole = (user: SignedUp, role: 'owner' | 'admin' | 'member' | 'viewer' | null) =>
    world.engine.write(owner.workspaceId, async (tx) => {
      if (role === null) await tx.db.deleteFrom('members').where('user_id', '=', user.userId).execute();
      else await tx.db.updateTable('members').set({ role }).where('user_id', '=', user.userId).execute();
    });

  describe('a program route', () => {
    it('checks in the order 401, 404, 403, 400', async () => {
      const outsider = await world.owner();
      expect(await world.call('PUT', `${PROGRAMS}/x`)).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated' },
      });
      const viewer = await world.signUp([{ workspaceId: owner.workspaceId, role: 'viewer' }]);
      for (const id of ['x', '0', '-1', '1.0', '99999999', '99999999999999999999', programId]) {
        expect(await call('PUT', `${PROGRAMS}/${id}`, outsider.token, { name: 5 })).toMatchObject({
          status: 404,
          body: { error: 'Program not found', code: 'program_not_found' },
        });
      }
      expect(await call('PUT', `${PROGRAMS}/${programId}`, viewer.token, { name: 5 })).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      });
      expect(await call('PUT', `${PROGRAMS}/${programId}`, owner.token, { name: 5 })).toMatchObject({
        status: 400,
      });
    });

    it.each([
      ['owner', { program: 200, read: 200, write: 200, keys: 200 }],
      ['admin', { program: 200, read: 200, write: 200, keys: 200 }],
      ['member', { program: 200, read: 200, write: 403, keys: 200 }],
      ['viewer', { program: 200, read: 403, write: 403, keys: 403 }],
    ] as const)('allows the role %s exactly its permissions', async (role, expected) => {
      const { token } = await world.signUp([{ workspaceId: owner.workspaceId, role }]);
      const path = `${PROGRAMS}/${programId}`;
      for (const read of [PROGRAMS, path, '/api/advertiser/dashboard/summary']) {
        expect([read, (await call('GET', read, token)).status]).toEqual([read, expected.program]);
      }
      for (const list of ['partners', 'links', 'customers', 'commission-policies']) {
        expect([list, (await call('GET', `${path}/${list}`, token)).status]).toEqual([list, expected.read]);
      }
      expect((await call('GET', KEYS, token)).status).toBe(expected.keys);
      expect((await call('PUT', path, token, {})).status).toBe(expected.write);
      expect((await call('POST', `${path}/go-live`, token)).status).toBe(expected.write);
      const created = expected.write === 200 ? 201 : 403;
      const partner = { name: role, email: `${role}@partner.test` };
      expect((await call('POST', `${path}/partners`, token, partner)).status).toBe(created);
      expect((await call('POST', KEYS, token, { name: 'k' })).status).toBe(created);
    });

    it('rejects a user whose membership has ended', async () => {
      const user = await world.signUp([{ workspaceId: owner.workspaceId, role: 'admin' }]);
      expect(await call('GET', `${PROGRAMS}/${programId}`, user.token)).toMatchObject({ status: 200 });
      await setRole(user, null);
      expect(await call('GET', `${PROGRAMS}/${programId}`, user.token)).toMatchObject({ status: 404 });
      expect(await call('GET', PROGRAMS, user.token)).toMatchObject({ status: 200, body: { data: [] } });
    });
  });

  describe('a credential of the wrong type', () => {
    it('a credential of the wrong type is rejected with token_wrong_type', async () => {
      const { key } = await makeKey();
      const wrong = { status: 401, body: { code: 'token_wrong_type' } };
      expect(await call('GET', PROGRAMS, trackingToken)).toMatchObject(wrong);
      expect(await call('GET', '/api/auth/me', trackingToken)).toMatchObject(wrong);
      expect(await call('GET', '/api/auth/me', key)).toMatchObject(wrong);
      expect(await call('POST', KEYS, key, { name: 'k' })).toMatchObject(wrong);
      expect(await call('POST', '/api/v1/track/refund', key, {})).toMatchObject(wrong);
      expect(await call('POST', '/api/v1/track/refund', owner.token, {})).toMatchObject(wrong);
    });

    it.each([
      [undefined, 'authorization_missing'],
      ['Basic YTpi', 'authorization_missing'],
      ['bearer aff_x', 'authorization_missing'],
      ['Bearer', 'token_empty'],
      ['Bearer   ', 'token_empty'],
      ['Bearer aff_unknown', 'token_invalid'],
      ['Bearer unknown', 'token_invalid'],
    ])('on a tracking route, %j is rejected with %s', async (authorization, code) => {
      const options = { body: {}, ...(authorization !== undefined && { authorization }) };
      expect(await world.call('POST', '/api/v1/track/refund', options)).toMatchObject({
        status: 401,
        body: { code },
      });
    });
  });

  describe('a management key', () => {
    it('a key is shown in full only when it is created', async () => {
      const body = {
        name: 'Deploy',
        scopes: ['program:list', 'program:list', 'link:list'],
        program_scope: [programId, `${programId}`],
        expires_at: '2099-01-01T00:00:00+01:00',
      };
      const created = await call<KeyData>('POST', KEYS, owner.token, body);
      const { id, key } = created.body.data;
      const row = {
        id,
        workspace_id: owner.workspaceId,
        name: 'Deploy',
        prefix: key.slice(0, 9),
        scopes: ['program:list', 'link:list'],
        program_scope: [`${programId}`],
        expires_at: '2098-12-31T23:00:00.000Z',
        status: 'active',
        key_masked: `${key.slice(0, 9)}…${key.slice(-4)}`,
        last_used_at: null,
        created_at: new Date(world.clock.now).toISOString(),
      };
      expect(key).toMatch(/^affk_[0-9A-Za-z]{36}$/);
      expect(created.status).toBe(201);
      expect(created.body).toEqual({ success: true, data: { ...row, key } });
      const list = await call<ListOf<unknown>>('GET', KEYS, owner.token);
      expect(list.body.data[0]).toEqual(row);
      const stored = await world.engine.read.selectFrom('api_keys').selectAll().execute();
      expect(JSON.stringify(stored)).not.toContain(key);
    });

    it('by default, a key has all permissions of its creator; the time of its last use is stored', async () => {
      const { id, key, scopes } = await makeKey();
      expect(scopes).toEqual(['*']);
      expect(await call('GET', `${PROGRAMS}/${programId}`, key)).toMatchObject({ status: 200 });
      expect(await call('POST', `${PROGRAMS}/${programId}/regenerate-api-token`, key)).toMatchObject({
        status: 200,
      });
      expect(await call('GET', KEYS, key)).toMatchObject({
        body: { data: [{ id, last_used_at: new Date(world.clock.now).toISOString() }] },
      });
    });

    it('a key allows only its scopes, in its programs', async () => {
      const otherProgram = await addProgram(owner.token);
      const lister = await makeKey({ scopes: ['program:list', 'link:list'], program_scope: [programId] });
      const list = await call<ListOf<{ id: number }>>('GET', PROGRAMS, lister.key);
      expect(list.body.data.map((program) => program.id)).toEqual([programId]);
      expect(await call('GET', `${PROGRAMS}/${programId}/links`, lister.key)).toMatchObject({ status: 200 });
      expect(await call('GET', `${PROGRAMS}/${programId}`, lister.key)).toMatchObject({ status: 403 });
      expect(await call('GET', `${PROGRAMS}/${otherProgram.id}/links`, lister.key)).toMatchObject({
        status: 404,
      });
      const none = await makeKey({ program_scope: [] });
      expect(await call('GET', PROGRAMS, none.key)).toMatchObject({ status: 200, body: { data: [] } });
      const program = {
        name: 'New',
        site_url: 'https://a.example',
        commission: { type: 'percent', rate: 1 },
      };
      expect(await call('POST', PROGRAMS, none.key, program)).toMatchObject({ status: 403 });
      const outsider = await world.owner();
      expect(
        await call('GET', `${PROGRAMS}/${(await addProgram(outsider.token)).id}`, (await makeKey()).key),
      ).toMatchObject({
        status: 404,
      });
    });

    it('a key is not created with unknown scopes or programs of other workspaces', async () => {
      const outsider = await world.owner();
      const foreignProgram = await addProgram(outsider.token);
      const invalid = [
        [{ scopes: ['program:fly'] }, 'Unknown scope: program:fly'],
        [{ scopes: [] }, 'scopes must name at least one scope'],
        [{ scopes: [{ toString: 1 }] }, 'each of scopes must be the name of a scope'],
        [{ scopes: [[[{ toString: 1 }]]] }, 'each of scopes must be the name of a scope'],
        [{ program_scope: ['my program'] }, 'program_scope must be a list of program ids'],
        [{ program_scope: ['9007199254740993'] }, 'program_scope must be a list of program ids'],
        [{ program_scope: [foreignProgram.id] }, 'program_scope must contain only programs of the workspace'],
        [{ name: undefined }, 'name must be a string of 1 to 255 characters'],
      ] as const;
      for (const [fields, error] of invalid) {
        expect(await call('POST', KEYS, owner.token, { name: 'k', ...fields })).toMatchObject({
          status: 400,
          body: { error },
        });
      }
      const { id } = await makeKey();
      expect(
        await call('PUT', `${KEYS}/${id}`, owner.token, { program_scope: [foreignProgram.id] }),
      ).toMatchObject({
        status: 400,
      });
    });

    it('a key never allows more than the current role of its creator', async () => {
      const creator = await world.signUp([{ workspaceId: owner.workspaceId, role: 'admin' }]);
      const { key } = await makeKey({}, creator.token);
      const write = () => call('PUT', `${PROGRAMS}/${programId}`, key, {});
      expect(await write()).toMatchObject({ status: 200 });
      await setRole(creator, 'member');
      expect(await write()).toMatchObject({ status: 403 });
      expect(await call('GET', `${PROGRAMS}/${programId}`, key)).toMatchObject({ status: 200 });
      await setRole(creator, null);
      expect(await write()).toMatchObject({ status: 401, body: { code: 'key_rejected' } });
    });

    it('an expired key is rejected', async () => {
      const expiresAt = world.clock.now + 1000;
      const { key } = await makeKey({ expires_at: new Date(expiresAt).toISOString() });
      expect(await call('GET', PROGRAMS, key)).toMatchObject({ status: 200 });
      world.clock.now = expiresAt;
      expect(await call('GET', PROGRAMS, key)).toMatchObject({ status: 401, body: { code: 'key_rejected' } });
      expect(await call('GET', PROGRAMS, 'affk_unknown')).toMatchObject({
        status: 401,
        body: { code: 'key_rejected' },
      });
    });

    it('a revoked key stays in the list and cannot be reactivated', async () => {
      const { id, key } = await makeKey();
      const replies = await runConcurrently(20, () => call('DELETE', `${KEYS}/${id}`, owner.token));
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      expect(await call('DELETE', `${KEYS}/${id}`, owner.token)).toMatchObject({
        body: { data: { id, status: 'revoked' } },
      });
      expect(await call('GET', PROGRAMS, key)).toMatchObject({ status: 401, body: { code: 'key_rejected' } });
      expect(await call('PUT', `${KEYS}/${id}`, owner.token, { name: 'back' })).toMatchObject({
        status: 409,
      });
      const list = await call<ListOf<{ id: number }>>('GET', `${KEYS}?pageSize=100`, owner.token);
      expect(list.body.data.find((row) => row.id === id)).toMatchObject({ status: 'revoked' });
    });

    it('a key can list, narrow and revoke only itself', async () => {
      const second = await addProgram(owner.token);
      const { id, key } = await makeKey({
        scopes: ['program:list', 'link:list'],
        program_scope: [programId, second.id],
      });
      const sibling = await makeKey();
      const escalation = { status: 403, body: { code: 'scope_escalation' } };
      const change = (body: object) => call('PUT', `${KEYS}/${id}`, key, body);
      expect((await call<ListOf<{ id: number }>>('GET', KEYS, key)).body.data.map((row) => row.id)).toEqual([
        id,
      ]);
      expect(await change({ scopes: ['*'] })).toMatchObject(escalation);
      expect(await change({ scopes: ['program:list', 'program:read'] })).toMatchObject(escalation);
      expect(await change({ program_scope: null })).toMatchObject(escalation);
      expect(await call('PUT', `${KEYS}/${sibling.id}`, key, { name: 'x' })).toMatchObject(escalation);
      expect(await call('DELETE', `${KEYS}/${sibling.id}`, key)).toMatchObject(escalation);
      expect(await change({ name: 'Less', program_scope: [`${programId}`] })).toMatchObject({
        status: 200,
        body: {
          data: { name: 'Less', program_scope: [`${programId}`], scopes: ['program:list', 'link:list'] },
        },
      });
      // Neither of two concurrent changes may restore a scope that the other change has removed.
      const narrowed = await Promise.all([
        change({ scopes: ['program:list'] }),
        change({ scopes: ['link:list'] }),
      ]);
      expect(countStatuses(narrowed)).toEqual({ 200: 1, 403: 1 });
      expect(await call('DELETE', `${KEYS}/${id}`, key)).toMatchObject({ status: 200 });
      expect(await call('GET', KEYS, key)).toMatchObject({ status: 401 });
    });

    it('only owners and admins of the workspace can change a key', async () => {
      const { id } = await makeKey({ program_scope: [programId] });
      const outsider = await world.owner();
      expect(await call('PUT', `${KEYS}/${id}`, outsider.token, { name: 'x' })).toMatchObject({
        status: 404,
      });
      expect(await call('DELETE', `${KEYS}/${id}`, outsider.token)).toMatchObject({ status: 404 });
      for (const unknown of ['99999999', 'x']) {
        expect(await call('PUT', `${KEYS}/${unknown}`, owner.token, { name: 'x' })).toMatchObject({
          status: 404,
        });
      }
      const change = { name: 'Wide', scopes: ['*'], program_scope: null };
      const replies = await runConcurrently(20, () => call('PUT', `${KEYS}/${id}`, owner.token, change));
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      expect(replies[0]).toMatchObject({ body: { data: change } });
    });

    it('each key is unique, even if 20 are created concurrently', async () => {
      const keys = await runConcurrently(20, () => makeKey());
      expect(new Set(keys.map((row) => row.key)).size).toBe(20);
      const used = await runConcurrently(20, () => call('GET', PROGRAMS, keys[0]?.key ?? ''));
      expect(countStatuses(used)).toEqual({ 200: 20 });
    });
  });
}
