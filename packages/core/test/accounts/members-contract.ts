import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  type SignedUp,
  type World,
} from '../support/management-world.ts';

const MEMBERS = '/api/advertiser/members';
const PROGRAMS = '/api/advertiser/affiliate-programs';
const KEYS = '/api/advertiser/api-keys';
const INVITE = '/api/auth/invite';
const ACCEPT = '/api/auth/accept-invite';
const DAY = 86_400_000;

interface MemberRow {
  readonly id: number;
  readonly user_id: number | null;
  readonly email: string;
  readonly role: string;
  readonly status: string;
  readonly invite_token?: string;
}
interface Row<T> {
  readonly data: T;
}
interface SignedIn {
  readonly token: string;
  readonly user: { readonly id: number; readonly email: string };
}

export function membersContract(open: OpenEngine): void {
  let world: World;
  let owner: SignedUp & { readonly workspaceId: number };

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    owner = await world.owner();
  });

  const call = <T = Row<MemberRow>>(method: string, path: string, token: string, body?: unknown) =>
    world.call<T>(method, path, { token, body });
  const add = (fields: Record<string, unknown> = {}, token = owner.token) =>
    call('POST', MEMBERS, token, {
      email: `${randomUUID()}@shop.test`,
      name: 'Mia',
      role: 'member',
      ...fields,
    });
  const invite = async (fields: Record<string, unknown> = {}) => {
    const { data } = (await add(fields)).body;
    return { ...data, token: data.invite_token ?? '' };
  };
  const accept = (
    token: string,
    fields: Record<string, unknown> = { password: PASSWORD },
    session?: string,
  ) =>
    world.call<SignedIn>('POST', ACCEPT, {
      body: { token, ...fields },
      ...(session !== undefined && { token: session }),
    });
  const listed = async () =>
    (await call<Row<MemberRow[]>>('GET', `${MEMBERS}?pageSize=100`, owner.token)).body.data;
  const ownerRow = async () => (await listed()).find((row) => row.user_id === owner.userId);
  const membersOf = async (token: string) => (await call<Row<unknown>>('GET', MEMBERS, token)).status;

  describe('a member', () => {
    it('a member gets access by accepting an invitation, which works only once', async () => {
      const reply = await add({ email: 'New@Shop.test', role: 'admin' });
      const row = {
        id: expect.any(Number),
        workspace_id: owner.workspaceId,
        user_id: null,
        email: 'new@shop.test',
        name: 'Mia',
        role: 'admin',
        status: 'invited',
        created_at: new Date(world.clock.now).toISOString(),
      };
      expect(reply).toMatchObject({ status: 201 });
      expect(reply.body).toEqual({
        success: true,
        data: {
          ...row,
          invite_token: expect.stringMatching(/^affi_[0-9A-Za-z]{36}$/),
          invite_expires_at: new Date(world.clock.now + 7 * DAY).toISOString(),
        },
      });
      const token = reply.body.data.invite_token ?? '';
      expect(await listed()).toEqual([
        expect.objectContaining({ user_id: owner.userId, role: 'owner' }),
        row,
      ]);

      const read = () => world.call('POST', INVITE, { body: { token } });
      expect(await read()).toMatchObject({
        status: 200,
        body: {
          success: true,
          data: {
            kind: 'member',
            email: 'new@shop.test',
            name: 'Mia',
            workspace_name: expect.any(String),
            role: 'admin',
          },
        },
      });

      const replies = await runConcurrently(20, () => accept(token));
      expect(replies.filter((one) => one.status === 200)).toHaveLength(1);
      expect(replies.every((one) => [200, 400, 409].includes(one.status))).toBe(true);
      const accepted = replies.find((one) => one.status === 200);
      expect(accepted?.body).toEqual({
        success: true,
        token: expect.any(String),
        expires_at: expect.any(String),
        user: { id: expect.any(Number), email: 'new@shop.test', name: 'Mia' },
      });
      const { token: session = '', user } = accepted?.body ?? {};
      expect(await listed()).toMatchObject([{}, { user_id: user?.id, status: 'active', role: 'admin' }]);
      expect((await call('GET', PROGRAMS, session)).status).toBe(200);
      expect(await accept(token)).toMatchObject({ status: 400, body: { code: 'invite_invalid' } });
      expect(await read()).toMatchObject({ status: 400, body: { code: 'invite_invalid' } });
      const login = { body: { email: 'new@shop.test', password: PASSWORD } };
      expect((await world.call('POST', '/api/auth/login', login)).status).toBe(200);
    });

    it('20 concurrent requests invite a member once', async () => {
      const email = `${randomUUID()}@shop.test`;
      const replies = await runConcurrently(20, () => add({ email }));
      expect(countStatuses(replies)).toEqual({ 200: 19, 201: 1 });
      expect(replies.filter((reply) => reply.body.data.invite_token !== undefined)).toHaveLength(1);
      expect((await add({ email, role: 'admin' })).status).toBe(409);
      expect(await listed()).toHaveLength(2);
    });

    it('a member gets a new invitation token after the first has expired', async () => {
      const { email, token } = await invite();
      world.clock.now += 7 * DAY;
      for (const reply of [await world.call('POST', INVITE, { body: { token } }), await accept(token)])
        expect(reply).toMatchObject({ status: 400, body: { code: 'invite_invalid' } });
      await world.affkit.jobs.runOnce();
      const session = await world.call<SignedIn>('POST', '/api/auth/login', {
        body: { email: owner.email, password: PASSWORD },
      });
      const invited = await add({ email }, session.body.token);
      const renewed = await world.engine.read
        .selectFrom('audit_log')
        .select(['actor_id', 'state_after'])
        .where('workspace_id', '=', owner.workspaceId)
        .where('action', '=', 'member.invite')
        .execute();
      const ends = new Date(world.clock.now + 7 * DAY).toISOString();
      expect(renewed).toEqual([{ actor_id: owner.userId, state_after: `{"invite_expires_at":"${ends}"}` }]);
      expect(invited).toMatchObject({ status: 200, body: { data: { invite_token: expect.any(String) } } });
      expect((await accept(invited.body.data.invite_token ?? '')).status).toBe(200);
    });

    it('accepts the invitation while signed in, without a password, if the member is already a user', async () => {
      const user = await world.signUp();
      const outsider = await world.signUp();
      const { token } = await invite({ email: user.email });
      expect(await accept(token)).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect(await accept(token, {}, outsider.token)).toMatchObject({ status: 403 });
      expect(await accept(token, {}, 'a.b.c')).toMatchObject({ status: 401 });
      expect(await accept(token, {}, user.token)).toMatchObject({
        status: 200,
        body: { success: true, user: { id: user.userId, email: user.email } },
      });
      expect(await listed()).toMatchObject([{}, { user_id: user.userId, status: 'active' }]);
      expect((await accept(token, {}, user.token)).status).toBe(400);
      expect((await call('GET', PROGRAMS, user.token)).status).toBe(200);
    });

    it.each([
      [{ email: 'x' }, 'email must be an email address'],
      [{ role: 'boss' }, 'role must be owner, admin, member or viewer'],
      [{ name: '' }, 'name must be a string of 1 to 255 characters'],
    ])('is not created from %j', async (fields, message) => {
      expect(await add(fields)).toMatchObject({ status: 400, body: { error: message } });
    });

    it('only owners can list and change members', async () => {
      const { id } = await invite();
      for (const role of ['admin', 'member', 'viewer'] as const) {
        const { token } = await world.signUp([{ workspaceId: owner.workspaceId, role }]);
        expect([role, await membersOf(token)]).toEqual([role, 403]);
        expect((await add({}, token)).status).toBe(403);
        expect((await call('PUT', `${MEMBERS}/${id}`, token, { role: 'owner' })).status).toBe(403);
        expect((await call('DELETE', `${MEMBERS}/${id}`, token)).status).toBe(403);
        expect((await call('GET', '/api/advertiser/audit-log', token)).status).toBe(403);
      }
      const outsider = await world.owner();
      expect((await call('DELETE', `${MEMBERS}/${id}`, outsider.token)).status).toBe(404);
      expect((await call('DELETE', `${MEMBERS}/999999`, outsider.token)).status).toBe(404);
    });

    it('name and email can be changed until the invitation is accepted; a new email revokes it', async () => {
      const { id, token } = await invite();
      const email = `${randomUUID()}@shop.test`;
      const put = (body: object) => call('PUT', `${MEMBERS}/${id}`, owner.token, body);
      expect(await put({ email, name: 'Moe', role: 'viewer' })).toMatchObject({
        status: 200,
        body: { data: { email, name: 'Moe', role: 'viewer', status: 'invited' } },
      });
      expect((await accept(token)).status).toBe(400);
      expect((await put({ email: owner.email })).status).toBe(409);
      const newInvite = await add({ email, role: 'viewer' });
      expect((await accept(newInvite.body.data.invite_token ?? '')).status).toBe(200);
      for (const change of [{ email: 'other@shop.test' }, { name: 'Max' }]) {
        expect(await put(change)).toMatchObject({ status: 409, body: { code: 'conflict' } });
      }
      expect(await put({ email, name: 'Moe', role: 'admin' })).toMatchObject({
        status: 200,
        body: { data: { role: 'admin' } },
      });
    });

    it('a removed member who is added again has no keys, not even keys created during the removal', async () => {
      const user = await world.signUp([{ workspaceId: owner.workspaceId, role: 'admin' }]);
      const elsewhere = await world.owner();
      await world.engine.write(0, (tx) =>
        tx.db
          .insertInto('members')
          .values({ workspace_id: elsewhere.workspaceId, user_id: user.userId, role: 'admin', created_at: 0 })
          .execute(),
      );
      const addKey = (workspaceId: number) =>
        call<Row<{ id: number; key: string }>>('POST', KEYS, user.token, {
          name: 'k',
          workspace_id: workspaceId,
        });
      const first = (await addKey(owner.workspaceId)).body.data;
      const keyElsewhere = (await addKey(elsewhere.workspaceId)).body.data;
      const row = (await listed()).find((one) => one.user_id === user.userId);
      const [, ...made] = await Promise.all([
        call('DELETE', `${MEMBERS}/${row?.id}`, owner.token),
        ...Array.from({ length: 5 }, () => addKey(owner.workspaceId)),
      ]);
      const { token } = await add({ email: user.email, role: 'admin' }).then((reply) => ({
        token: reply.body.data.invite_token ?? '',
      }));
      const login = { body: { email: user.email, password: PASSWORD } };
      const session = (await world.call<SignedIn>('POST', '/api/auth/login', login)).body.token;
      expect((await accept(token, {}, session)).status).toBe(200);
      const secrets = [first.key, ...made.flatMap((reply) => reply.body.data?.key ?? [])];
      for (const secret of secrets) expect((await call('GET', PROGRAMS, secret)).status).toBe(401);
      expect((await call('GET', PROGRAMS, keyElsewhere.key)).status).toBe(200);
      const revoked = await world.engine.read
        .selectFrom('audit_log')
        .select(['actor_id', 'state_after'])
        .where('workspace_id', '=', owner.workspaceId)
        .where('action', '=', 'api_key.revoke')
        .where('subject_id', '=', first.id)
        .execute();
      expect(revoked).toEqual([{ actor_id: owner.userId, state_after: '{"status":"revoked"}' }]);
    });

    it('a removed member loses access, both with sessions and with keys', async () => {
      const { token } = await world.signUp([{ workspaceId: owner.workspaceId, role: 'admin' }]);
      const row = (await listed())[1];
      const key = await call<Row<{ key: string }>>('POST', KEYS, token, { name: 'k' });
      const secret = key.body.data.key;
      expect((await call('GET', PROGRAMS, secret)).status).toBe(200);
      const path = `${MEMBERS}/${row?.id}`;
      expect(countStatuses(await runConcurrently(20, () => call('DELETE', path, owner.token)))).toEqual({
        200: 1,
        404: 19,
      });
      expect((await call('GET', PROGRAMS, secret)).status).toBe(401);
      expect((await call('GET', PROGRAMS, token)).status).toBe(401);
      const { token: invitation, id } = await invite();
      expect((await call('DELETE', `${MEMBERS}/${id}`, owner.token)).status).toBe(200);
      expect((await accept(invitation)).status).toBe(400);
    });
  });

  describe('the last owner', () => {
    it('cannot be removed or demoted', async () => {
      const row = await ownerRow();
      await invite({ role: 'owner' });
      const conflict = {
        status: 409,
        body: { error: 'The last owner cannot be removed or demoted. First make another member an owner.' },
      };
      const path = `${MEMBERS}/${row?.id}`;
      expect(await call('PUT', path, owner.token, { role: 'admin' })).toMatchObject(conflict);
      expect(await call('DELETE', path, owner.token)).toMatchObject(conflict);
      expect((await call('PUT', path, owner.token, { role: 'owner' })).status).toBe(200);
    });

    it('one owner remains when owners demote or remove each other concurrently', async () => {
      for (const method of ['PUT', 'DELETE']) {
        const user = await world.signUp([{ workspaceId: owner.workspaceId, role: 'owner' }]);
        const rows = (await listed()).filter((row) => row.role === 'owner');
        expect(rows).toHaveLength(2);
        const pathTo = (userId: number) => `${MEMBERS}/${rows.find((row) => row.user_id === userId)?.id}`;
        const body = method === 'PUT' ? { role: 'viewer' } : undefined;
        const replies = await runConcurrently(20, (index) =>
          index % 2 === 0
            ? call(method, pathTo(user.userId), owner.token, body)
            : call(method, pathTo(owner.userId), user.token, body),
        );
        expect(replies.every((reply) => [200, 401, 403, 404, 409].includes(reply.status))).toBe(true);
        const owners = await world.engine.read
          .selectFrom('members')
          .select(['user_id'])
          .where('workspace_id', '=', owner.workspaceId)
          .where('role', '=', 'owner')
          .execute();
        expect(owners).toHaveLength(1);
        if (owners[0]?.user_id !== owner.userId) owner = { ...user, workspaceId: owner.workspaceId };
      }
    });
  });

  describe('a password', () => {
    const change = (token: string, body: object) =>
      world.call<SignedIn>('POST', '/api/auth/password', { token, body });

    it('a user who knows the password can change it; the change ends all other sessions', async () => {
      const user = await world.signUp();
      const login = (password: string) =>
        world.call<SignedIn>('POST', '/api/auth/login', { body: { email: user.email, password } });
      const otherSession = (await login(PASSWORD)).body.token;
      const newPassword = 'a new password';
      expect(await change(user.token, { password: 'wrong', new_password: newPassword })).toMatchObject({
        status: 401,
        body: { code: 'invalid_login' },
      });
      for (const refused of ['short', PASSWORD]) {
        expect((await change(user.token, { password: PASSWORD, new_password: refused })).status).toBe(400);
      }
      const changed = await change(user.token, { password: PASSWORD, new_password: newPassword });
      expect(changed).toMatchObject({ status: 200, body: { success: true, user: { email: user.email } } });
      for (const ended of [user.token, otherSession]) {
        expect((await call('GET', '/api/auth/me', ended)).status).toBe(401);
      }
      expect((await call('GET', '/api/auth/me', changed.body.token)).status).toBe(200);
      expect((await login(PASSWORD)).status).toBe(401);
      expect((await login(newPassword)).status).toBe(200);
    });

    it('only one of several concurrent requests changes the password', async () => {
      const user = await world.signUp();
      const replies = await runConcurrently(5, (index) =>
        change(user.token, { password: PASSWORD, new_password: `new password ${index}` }),
      );
      expect(countStatuses(replies)).toEqual({ 200: 1, 401: 4 });
      const sessions = await world.engine.read
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', user.userId)
        .execute();
      expect(sessions).toHaveLength(1);
    });
  });

  describe("a partner's invitation", () => {
    it('links the partner to the user who accepts the invitation; after that, the email cannot be changed', async () => {
      const commission = { type: 'percent', rate: 10 };
      const program = { name: 'Shop', site_url: 'https://shop.example', commission };
      const made = await call<Row<{ id: number }>>('POST', PROGRAMS, owner.token, program);
      const path = `${PROGRAMS}/${made.body.data.id}/partners`;
      const pat = { name: 'Pat', email: `${randomUUID()}@partner.test` };
      const replies = await runConcurrently(20, () => call('POST', path, owner.token, pat));
      const tokens = replies.flatMap((reply) => reply.body.data.invite_token ?? []);
      expect(tokens).toHaveLength(1);
      const [first = ''] = tokens;

      const { id } = replies[0]?.body.data ?? { id: 0 };
      const put = (body: object) => call('PUT', `${path}/${id}`, owner.token, body);
      const email = `${randomUUID()}@partner.test`;
      expect((await put({ email })).status).toBe(200);
      expect((await accept(first)).status).toBe(400);
      const again = await call('POST', path, owner.token, { ...pat, email });
      const accepted = await accept(again.body.data.invite_token ?? '');
      expect(accepted).toMatchObject({ status: 200, body: { user: { email, name: 'Pat' } } });
      const me = await call<{ partners: unknown }>('GET', '/api/auth/me', accepted.body.token);
      expect(me.body.partners).toEqual([{ id, name: 'Pat', workspace_id: owner.workspaceId }]);
      expect(await put({ email: 'other@partner.test' })).toMatchObject({ status: 409 });
      expect((await put({ name: 'Patricia', email })).status).toBe(200);
      const third = await call('POST', path, owner.token, { ...pat, email });
      expect(third.status).toBe(200);
      expect(third.body.data.invite_token).toBeUndefined();
      expect((await call('GET', path, accepted.body.token)).status).toBe(404);
    });
  });
}
