import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswordResetCode } from '../../src/access/password-reset.ts';
import { createSignInCode } from '../../src/access/sign-in-code.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  type World,
} from '../support/management-world.ts';
import { storeFailedSignIns } from '../support/users.ts';
import { sessionCookieOf } from './browser-session-contract.ts';

const REQUEST = '/api/auth/password-reset';
const CONFIRM = '/api/auth/password-reset/confirm';
const LOGIN = '/api/auth/login';
const ME = '/api/auth/me';
const ORIGIN = 'https://affkit.test';
const NEW_PASSWORD = 'another battery horse';
const MINUTE = 60_000;
const REFUSED = { status: 400, body: { code: 'reset_code_invalid' } };
const LOCKED = {
  status: 429,
  headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  body: { code: 'login_rate_limited' },
};

export function passwordResetContract(open: OpenEngine): void {
  let world: World;
  let networks = 0;

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());

  /** Returns an IP address that no other test uses. */
  const newIp = () => `198.51.100.${++networks}`;
  async function makeCode(email: string, create = createPasswordResetCode): Promise<string> {
    const made = await create(world.affkit.runtime, email);
    if (made === null) throw new Error(`No user has the address ${email}`);
    return made.code;
  }
  const confirm = (token: string, { ip = newIp(), password = NEW_PASSWORD } = {}) =>
    world.call('POST', CONFIRM, { body: { token, password }, ip });
  const logIn = (email: string, password: string, ip = newIp()) =>
    world.call<{ token: string }>('POST', LOGIN, { body: { email, password }, ip });

  describe('a confirmed reset', () => {
    it('sets the password once, ends every session and code of the user, and starts no session', async () => {
      const { email, token, userId } = await world.signUp();
      const other = await world.signUp();
      const [code, unused] = [await makeCode(` ${email.toUpperCase()}`), await makeCode(email)];
      const signInCode = await makeCode(email, createSignInCode);
      expect(code).toMatch(/^affr_[0-9A-Za-z]{36}$/);
      const reply = await confirm(code);
      expect(reply).toMatchObject({ status: 200 });
      expect(reply.body).toEqual({ success: true, user: { id: userId, email, name: 'Ann' } });
      expect(reply.headers).not.toHaveProperty('set-cookie');

      expect(await world.call('GET', ME, { token })).toMatchObject({ status: 401 });
      expect(await world.call('GET', ME, { token: other.token })).toMatchObject({ status: 200 });
      for (const used of [code, unused]) expect(await confirm(used)).toMatchObject(REFUSED);
      const signIn = await world.call('POST', LOGIN, { body: { code: signInCode } });
      expect(signIn).toMatchObject({ body: { code: 'sign_in_code_invalid' } });
      expect((await logIn(email, PASSWORD)).status).toBe(401);
      const signedIn = await logIn(email, NEW_PASSWORD);
      expect(signedIn.status).toBe(200);
      expect(signedIn.body).not.toHaveProperty('password_change_required');
    });

    it('starts a browser session if a page of the service requests one', async () => {
      const { email } = await world.signUp();
      const body = { token: await makeCode(email), password: NEW_PASSWORD, cookie: true };
      for (const origin of [{}, { origin: 'https://evil.test' }]) {
        const foreign = await world.call('POST', CONFIRM, { body, ...origin });
        expect(foreign).toMatchObject({ status: 403, body: { code: 'origin_mismatch' } });
        expect(foreign.headers).not.toHaveProperty('set-cookie');
      }
      const reply = await world.call('POST', CONFIRM, { body, origin: ORIGIN });
      expect(reply).toMatchObject({ status: 200, body: { user: { email } } });
      expect(reply.body).not.toHaveProperty('token');
      expect(reply.headers['set-cookie']).toContain('affkit_device=');
      const cookie = sessionCookieOf(reply) ?? '';
      expect(await world.call('GET', ME, { cookie })).toMatchObject({ body: { user: { email } } });
    });

    it('only one of 20 concurrent requests with the same code succeeds', async () => {
      const { email } = await world.signUp();
      const code = await makeCode(email);
      const passwordOf = (index: number) => `${NEW_PASSWORD} ${index}`;
      const replies = await runConcurrently(20, (index) => confirm(code, { password: passwordOf(index) }));
      expect(countStatuses(replies)).toEqual({ 200: 1, 400: 19 });
      const winner = replies.findIndex(({ status }) => status === 200);
      expect((await logIn(email, passwordOf(winner))).status).toBe(200);
    });

    it('replaces a temporary password, and records that only the user knows the new one', async () => {
      const { email, userId } = await world.signUp();
      await world.engine.write(0, ({ db }) =>
        db
          .updateTable('users')
          .set({ password_is_own: 0, password_is_temporary: 1 })
          .where('id', '=', userId)
          .execute(),
      );
      expect(await confirm(await makeCode(email))).toMatchObject({ status: 200 });
      const row = world.engine.read.selectFrom('users').where('id', '=', userId);
      expect(await row.select(['password_is_own', 'password_is_temporary']).executeTakeFirst()).toEqual({
        password_is_own: 1,
        password_is_temporary: 0,
      });
    });

    it('is refused after 30 minutes, and after the password was changed', async () => {
      const { email, token } = await world.signUp();
      const late = await makeCode(email);
      world.clock.now += 30 * MINUTE - 1;
      const old = await makeCode(email);
      world.clock.now += 1;
      expect(await confirm(late)).toMatchObject(REFUSED);
      const body = { password: PASSWORD, new_password: NEW_PASSWORD };
      expect(await world.call('POST', '/api/auth/password', { token, body })).toMatchObject({ status: 200 });
      expect(await confirm(old)).toMatchObject(REFUSED);
    });

    it('requires the code of a reset link, which cannot be used to sign in', async () => {
      const { email } = await world.signUp();
      const code = await makeCode(email);
      const signInCode = await makeCode(email, createSignInCode);
      const renamed = [code.replace('affr_', 'affs_'), signInCode.replace('affs_', 'affr_')];
      for (const wrong of ['nothing', `affr_${'0'.repeat(36)}`, signInCode, ...renamed]) {
        expect(await confirm(wrong)).toMatchObject(REFUSED);
      }
      for (const wrong of [code, ...renamed]) {
        expect(await world.call('POST', LOGIN, { body: { code: wrong } })).toMatchObject({ status: 401 });
      }
      const rows = await world.engine.read.selectFrom('one_time_codes').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(code);
      expect(await confirm(code)).toMatchObject({ status: 200 });
      expect(await createPasswordResetCode(world.affkit.runtime, 'nobody@shop.test')).toBeNull();
    });

    it.each([
      [{ password: NEW_PASSWORD }, 'token is required'],
      [{ token: 'affr_x' }, 'password must be a string of 8 to 1024 characters'],
      [{ token: 'affr_x', password: 'short' }, 'password must be a string of 8 to 1024 characters'],
      [{ token: 'affr_x', password: NEW_PASSWORD, cookie: 1 }, 'cookie must be true or false'],
    ])('rejects %j', async (body, error) => {
      expect(await world.call('POST', CONFIRM, { body })).toMatchObject({ status: 400, body: { error } });
    });

    it('rejects the current password as the new one, and keeps the code valid', async () => {
      const code = await makeCode((await world.signUp()).email);
      expect(await confirm(code, { password: PASSWORD })).toMatchObject({
        status: 400,
        body: { error: 'password must differ from the current password' },
      });
      expect(await confirm(code)).toMatchObject({ status: 200 });
    });
  });

  describe('the limits of sign-ins', () => {
    it('a password reset lifts the lockout of its user, but only on the client that confirmed it', async () => {
      const { email } = await world.signUp();
      const [own, foreign] = [newIp(), newIp()];
      await runConcurrently(10, () => logIn(email, 'wrong', own));
      const failures = Array.from({ length: 10 }, () => ({ email, ip: foreign }));
      await storeFailedSignIns(world.affkit.runtime, world.clock.now, failures);
      for (const ip of [own, foreign]) expect(await logIn(email, PASSWORD, ip)).toMatchObject(LOCKED);
      expect(await confirm(await makeCode(email), { ip: own })).toMatchObject({ status: 200 });
      expect(await logIn(email, NEW_PASSWORD, own)).toMatchObject({ status: 200 });
      expect(await logIn(email, NEW_PASSWORD, foreign)).toMatchObject(LOCKED);
    });

    it('wrong codes count as failed sign-ins; after 50, the client is locked out', async () => {
      const { email } = await world.signUp();
      const ip = newIp();
      const used = await makeCode(email);
      expect(await confirm(used)).toMatchObject({ status: 200 });
      const code = await makeCode(email);
      for (let count = 0; count < 50; count++) expect(await confirm(used, { ip })).toMatchObject(REFUSED);
      expect(await confirm(code, { ip })).toMatchObject(LOCKED);
      expect(await logIn(email, NEW_PASSWORD, ip)).toMatchObject(LOCKED);
      expect(await logIn(email, NEW_PASSWORD)).toMatchObject({ status: 200 });
    });
  });

  describe('a request for a link', () => {
    const request = (email: string, ip = newIp()) => world.call('POST', REQUEST, { body: { email }, ip });

    it('gets the same reply whether or not the address has a user, and creates no code', async () => {
      const { email } = await world.signUp();
      const codes = () => world.engine.read.selectFrom('one_time_codes').selectAll().execute();
      const before = await codes();
      const known = await request(email);
      const unknown = await request('nobody@shop.test');
      expect(known.status).toBe(200);
      expect(known.body).toEqual({ success: true, delivery: 'none' });
      expect(unknown).toMatchObject({ status: known.status, body: known.body as object });
      expect(Object.keys(unknown.headers)).toEqual(Object.keys(known.headers));
      expect(await codes()).toEqual(before);
      expect(await world.call('POST', REQUEST, { body: {} })).toMatchObject({
        status: 400,
        body: { error: 'email is required' },
      });
    });

    it.each([
      [10, 'for an address', () => 'anna@shop.test'],
      [50, 'in all', (index: number) => `guess-${index}@shop.test`],
    ])('is limited to %i per client %s, and sign-ins are counted separately', async (limit, _, email) => {
      const ip = newIp();
      const replies = await runConcurrently(limit + 5, (index) => request(email(index), ip));
      expect(countStatuses(replies)).toEqual({ 200: limit, 429: 5 });
      expect(replies.find(({ status }) => status === 429)).toMatchObject({
        headers: { 'retry-after': '900' },
        body: { code: 'rate_limited' },
      });
      expect((await request(email(0))).status).toBe(200);
      expect((await logIn((await world.signUp()).email, PASSWORD, ip)).status).toBe(200);
      world.clock.now += 15 * MINUTE;
      expect((await request(email(0), ip)).status).toBe(200);
    });
  });
}
