import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resetPassword } from '../../src/access/reset-password.ts';
import { acceptInvite } from '../../src/management/accept-invite.ts';
import { findUserByEmail } from '../../src/storage/accounts/users.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  type SignedUp,
  type World,
} from '../support/management-world.ts';
import { API_CLIENT, createSession } from '../support/users.ts';

const MEMBERS = '/api/advertiser/members';
const PROGRAMS = '/api/advertiser/affiliate-programs';
const ME = '/api/auth/me';
const WORKSPACES = '/api/advertiser/workspaces';
const NEW_PASSWORD = 'a password of my own';

interface SignedIn {
  readonly token: string;
  readonly code?: string;
  readonly password_change_required?: true;
}

export function foreignPasswordContract(open: OpenEngine): void {
  let world: World;
  let inviter: SignedUp;
  let shop: SignedUp;
  let email: string;

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    [inviter, shop] = [await world.owner(), await world.owner()];
    email = `${randomUUID()}@unknown.test`;
  });

  const post = <T = { code?: string }>(path: string, body: object, token?: string) =>
    world.call<T>('POST', path, { body, ...(token !== undefined && { token }) });
  const add = (address: string, by: SignedUp, fields: object = {}) =>
    post<{ data: { invite_token: string } }>(
      MEMBERS,
      { email: address, name: 'Mia', role: 'viewer', ...fields },
      by.token,
    );
  const invite = async (address: string, by: SignedUp) => (await add(address, by)).body.data.invite_token;
  const accept = (token: string, fields: object, session?: string) =>
    post<SignedIn>('/api/auth/accept-invite', { token, ...fields }, session);
  const logIn = (password: string) => post<SignedIn>('/api/auth/login', { email, password });
  const statusOf = async (path: string, token: string) => (await world.call('GET', path, { token })).status;
  const countUsers = async () => {
    return (await world.engine.read.selectFrom('users').select('id').where('email', '=', email).execute())
      .length;
  };
  /**
   * Accepts an invitation in place of the invited person, as a dishonest inviter could do. The inviter then knows the
   * password.
   * @returns the session
   */
  const signUpAsInviter = async () => {
    const accepted = await accept(await invite(email, inviter), { password: PASSWORD });
    expect(accepted.status).toBe(200);
    return accepted.body.token;
  };

  describe('adding a member', () => {
    it('adding a member never creates a user, even if the request contains a password', async () => {
      const replies = await runConcurrently(5, () => add(email, inviter, { password: PASSWORD }));
      expect(countStatuses(replies)).toEqual({ 200: 4, 201: 1 });
      for (const { body } of replies) expect(body.data).toMatchObject({ status: 'invited', user_id: null });
      expect(replies.filter((reply) => reply.body.data.invite_token !== undefined)).toHaveLength(1);
      expect(await countUsers()).toBe(0);
      expect((await logIn(PASSWORD)).status).toBe(401);
    });

    it('adding a member returns the same reply whether or not the address has a user', async () => {
      const known = await world.signUp();
      for (const fields of [{}, { password: PASSWORD }]) {
        const by = await world.owner();
        const [unknown, user] = [
          await add(`${randomUUID()}@unknown.test`, by, fields),
          await add(known.email, by, fields),
        ];
        expect(user.status).toBe(unknown.status);
        const withoutIds = ({ body }: typeof user) => ({ ...body.data, id: 0, email: '', invite_token: '' });
        expect(withoutIds(user)).toEqual(withoutIds(unknown));
      }
    });

    it('enrolling a partner never creates a user, and its reply does not reveal existing users', async () => {
      const known = await world.signUp();
      const commission = { type: 'percent', rate: 10 };
      const site = { name: 'Shop', site_url: 'https://shop.example', commission };
      const program = await post<{ data: { id: number } }>(PROGRAMS, site, shop.token);
      const path = `${PROGRAMS}/${program.body.data.id}/partners`;
      const enroll = (address: string) =>
        post<{ data: Record<string, unknown> }>(path, { name: 'Pat', email: address }, shop.token);
      expect(await post(path, { name: 'Pat', email, password: PASSWORD }, shop.token)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('Unknown field "password"') },
      });
      const [unknown, user] = [await enroll(email), await enroll(known.email)];
      expect(user.status).toBe(unknown.status);
      expect(Object.keys(user.body.data)).toEqual(Object.keys(unknown.body.data));
      expect(await countUsers()).toBe(0);
    });

    it('accepting an invitation without a password does not show the inviter whether the user exists', async () => {
      const known = await world.signUp();
      for (const address of [email, known.email]) {
        expect(await accept(await invite(address, inviter), {})).toMatchObject({
          status: 400,
          body: { error: 'password is required' },
        });
      }
    });
  });

  describe('accepting a second invitation', () => {
    it('requires a new password if the first inviter may know the current one, and ends all other sessions', async () => {
      const inviterSession = await signUpAsInviter();
      const session = (await logIn(PASSWORD)).body.token;
      const token = await invite(email, shop);
      expect(await accept(token, {}, session)).toMatchObject({
        status: 403,
        body: { code: 'password_required' },
      });
      expect(await accept(token, { password: PASSWORD }, session)).toMatchObject({
        status: 400,
        body: { error: 'password must differ from the current password' },
      });
      expect(await accept(token, { password: NEW_PASSWORD }, session)).toMatchObject({ status: 200 });
      expect(await statusOf(ME, session)).toBe(200);
      expect(await statusOf(ME, inviterSession)).toBe(401);
      expect((await logIn(PASSWORD)).status).toBe(401);
      expect((await logIn(NEW_PASSWORD)).status).toBe(200);
    });

    it('accepts the current password from a user who chose it, and ends all other sessions', async () => {
      const otherSession = await signUpAsInviter();
      const session = (await logIn(PASSWORD)).body.token;
      for (const inviterOfUser of [shop, await world.owner()]) {
        const token = await invite(email, inviterOfUser);
        const wrong = await accept(token, { current_password: 'not the password' }, session);
        expect(wrong).toMatchObject({ status: 403, body: { code: 'password_wrong' } });
        const accepted = await accept(token, { current_password: PASSWORD }, session);
        expect(accepted).toMatchObject({ status: 200, body: { user: { email } } });
        expect(accepted.body.token).toBeUndefined();
        const { body } = await world.call<{ data: object[] }>('GET', MEMBERS, inviterOfUser);
        expect(body.data).toContainEqual(expect.objectContaining({ email, status: 'active' }));
      }
      expect([await statusOf(ME, session), await statusOf(ME, otherSession)]).toEqual([200, 401]);
      expect((await logIn(PASSWORD)).status).toBe(200);
    });

    it("rejects the current password in a request without a session, or with another user's session", async () => {
      await signUpAsInviter();
      const token = await invite(email, shop);
      const none = await accept(token, { current_password: PASSWORD });
      const unknown = await accept(await invite(`${randomUUID()}@unknown.test`, shop), {
        current_password: PASSWORD,
      });
      // Without a session, the reply does not show whether the address has a user.
      for (const reply of [none, unknown]) {
        expect(reply).toMatchObject({ status: 400, body: { error: 'password is required' } });
      }
      const foreign = await accept(token, { current_password: PASSWORD }, inviter.token);
      expect(foreign).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      const both = { password: NEW_PASSWORD, current_password: PASSWORD };
      const session = (await logIn(PASSWORD)).body.token;
      expect((await accept(token, both, session)).status).toBe(400);
    });

    it('limits attempts to guess the current password through an invitation', async () => {
      const session = await signUpAsInviter();
      const token = await invite(email, shop);
      const codes: (string | undefined)[] = [];
      for (let guess = 0; guess < 11; guess++) {
        codes.push((await accept(token, { current_password: `guess ${guess}` }, session)).body.code);
      }
      expect(codes).toEqual([...Array(10).fill('password_wrong'), 'login_rate_limited']);
      expect(await accept(token, { current_password: PASSWORD }, session)).toMatchObject({ status: 429 });
    });

    it('replaces the password only in a session of the user, so that the second inviter cannot take over the user', async () => {
      await signUpAsInviter();
      expect(await accept(await invite(email, shop), { password: NEW_PASSWORD })).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      });
      expect((await logIn(PASSWORD)).status).toBe(200);
    });

    it('sets no password if the session ends while the request is processed', async () => {
      await signUpAsInviter();
      const user = await findUserByEmail(world.engine.read, email);
      if (user === null) throw new Error('The inviter created no user');
      const token = await invite(email, shop);
      const { id: sessionId } = await createSession(world.affkit.runtime, user.id);
      await post(
        '/api/auth/password',
        { password: PASSWORD, new_password: NEW_PASSWORD },
        (await logIn(PASSWORD)).body.token,
      );
      const invitee = { user, sessionId, client: API_CLIENT, password: 'of the old session', requestId: 'r' };
      const withOldPassword = { ...invitee, password: undefined, currentPassword: NEW_PASSWORD };
      for (const input of [invitee, withOldPassword]) {
        expect(await acceptInvite(world.affkit.runtime, token, input)).toMatchObject({
          code: 'unauthenticated',
        });
      }
      expect((await logIn(NEW_PASSWORD)).status).toBe(200);
    });

    it('locks the inviter out, even if the inviter signs in or changes the password at the same time', async () => {
      const inviterSession = await signUpAsInviter();
      const session = (await logIn(PASSWORD)).body.token;
      const token = await invite(email, shop);
      const [accepted, changed, ...logins] = await Promise.all([
        accept(token, { password: NEW_PASSWORD }, session),
        post<SignedIn>(
          '/api/auth/password',
          { password: PASSWORD, new_password: 'known to the inviter' },
          inviterSession,
        ),
        ...Array.from({ length: 4 }, () => logIn(PASSWORD)),
      ]);
      expect([accepted.status, changed.status].sort()).toEqual([200, 401]);
      const inviters = [inviterSession, changed.body.token, ...logins.map(({ body }) => body.token)];
      const isAccepted = accepted.status === 200;
      for (const one of inviters) {
        if (isAccepted && one !== undefined) expect(await statusOf(ME, one)).toBe(401);
      }
      const members = await world.call<{ data: { email: string; status: string }[] }>('GET', MEMBERS, shop);
      const status = isAccepted ? 'active' : 'invited';
      expect(members.body.data).toContainEqual(expect.objectContaining({ email, status }));
    });
  });

  describe('a password set by the operator', () => {
    beforeEach(async () => {
      await signUpAsInviter();
    });

    const reset = async () => (await resetPassword(world.affkit.runtime, email)) ?? '';

    it("a user who signs in with the operator's password must replace it before anything else", async () => {
      const password = await reset();
      const login = await logIn(password);
      expect(login).toMatchObject({ status: 200, body: { password_change_required: true } });
      const { token } = login.body;
      const required = { status: 403, body: { code: 'password_change_required' } };
      for (const path of [PROGRAMS, MEMBERS, WORKSPACES, '/api/partner/me']) {
        expect(await world.call('GET', path, { token })).toMatchObject(required);
      }
      expect(await statusOf(ME, token)).toBe(200);
      const other = (await logIn(password)).body.token;

      const change = (newPassword: string) =>
        post<SignedIn>('/api/auth/password', { password, new_password: newPassword }, token);
      expect(await change(password)).toMatchObject({ status: 400 });
      const changed = await change(NEW_PASSWORD);
      expect(changed.status).toBe(200);
      expect(changed.body.password_change_required).toBeUndefined();
      expect(await statusOf(WORKSPACES, changed.body.token)).toBe(200);
      for (const ended of [token, other]) expect(await statusOf(ME, ended)).toBe(401);
      const again = await logIn(NEW_PASSWORD);
      expect(again.body.password_change_required).toBeUndefined();
      expect(await statusOf(WORKSPACES, again.body.token)).toBe(200);
    });

    it('accepting an invitation with a new password replaces the password that the operator set; the session stays valid', async () => {
      const password = await reset();
      const session = (await logIn(password)).body.token;
      const token = await invite(email, shop);
      const required = { status: 403, body: { code: 'password_change_required' } };
      expect(await accept(token, {}, session)).toMatchObject(required);
      // The operator knows the current password, so it must be replaced.
      expect(await accept(token, { current_password: password }, session)).toMatchObject(required);
      expect((await accept(token, { password: NEW_PASSWORD }, session)).status).toBe(200);
      expect(await statusOf(WORKSPACES, session)).toBe(200);
      expect((await logIn(NEW_PASSWORD)).body.password_change_required).toBeUndefined();
    });

    it('a user can sign out before replacing the password that the operator set', async () => {
      const { token } = (await logIn(await reset())).body;
      expect((await post('/api/auth/logout', {}, token)).status).toBe(200);
      expect(await statusOf(ME, token)).toBe(401);
    });
  });
}
