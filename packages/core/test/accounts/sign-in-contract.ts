import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '../../src/access/login.ts';
import { isRejection } from '../../src/rejection.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  type World,
} from '../support/management-world.ts';

const MINUTE = 60_000;

/** Tests sign-in and sessions on any engine. */
export function signInContract(open: OpenEngine): void {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());

  const logInBy = (email: string, password: string, ip: string | null) =>
    world.call<{ token?: string; code?: string }>('POST', '/api/auth/login', {
      body: { email, password },
      ip,
    });
  const failFrom = (email: string, ip: string | null) => logInBy(email, 'wrong', ip);

  describe('a session', () => {
    it('starts with the right email and password, identifies the user, and ends with logout', async () => {
      const { userId, email, workspaceId } = await world.owner();

      const login = await world.call<{ token: string }>('POST', '/api/auth/login', {
        body: { email: ` ${email.toUpperCase()} `, password: PASSWORD },
      });
      expect(login).toMatchObject({
        status: 200,
        body: {
          success: true,
          token: expect.stringMatching(/^eyJ/),
          expires_at: new Date(world.clock.now + 12 * 60 * MINUTE).toISOString(),
          user: { id: userId, email, name: 'Ann' },
        },
      });
      const { token } = login.body;
      expect(await world.call('GET', '/api/auth/me', { token })).toMatchObject({
        status: 200,
        body: {
          success: true,
          user: { id: userId, email, name: 'Ann' },
          workspaces: [{ id: workspaceId, name: 'Acme', role: 'owner' }],
          partners: [],
        },
      });
      expect(await world.call('GET', '/api/auth/me', { authorization: token })).toMatchObject({
        status: 200,
      });

      expect(await world.call('POST', '/api/auth/logout', { token })).toMatchObject({
        status: 200,
        body: { success: true },
      });
      const unauthenticated = {
        status: 401,
        body: { error: 'Authentication required', code: 'unauthenticated' },
      };
      expect(await world.call('GET', '/api/auth/me', { token })).toMatchObject(unauthenticated);
      expect(await world.call('POST', '/api/auth/logout', { token })).toMatchObject(unauthenticated);
    });

    it('ends after 20 concurrent logouts', async () => {
      const { token } = await world.signUp();
      const replies = await runConcurrently(20, () => world.call('POST', '/api/auth/logout', { token }));
      expect(replies.some(({ status }) => status === 200)).toBe(true);
      expect(replies.every(({ status }) => status === 200 || status === 401)).toBe(true);
      expect(await world.call('GET', '/api/auth/me', { token })).toMatchObject({ status: 401 });
    });

    it('expires after 12 hours', async () => {
      const { token } = await world.signUp();
      const start = world.clock.now;
      world.clock.now = start + 12 * 60 * MINUTE - 1000;
      expect(await world.call('GET', '/api/auth/me', { token })).toMatchObject({ status: 200 });
      world.clock.now = start + 12 * 60 * MINUTE;
      expect(await world.call('GET', '/api/auth/me', { token })).toMatchObject({ status: 401 });
    });

    it('is rejected with a forged or unsigned token', async () => {
      const { token } = await world.signUp();
      const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      const forged = await new SignJWT(payload)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new Uint8Array(32).fill(7));
      for (const fake of [forged, new UnsecuredJWT(payload).encode(), `${token}x`, 'a.b.c', 'nothing']) {
        expect(await world.call('GET', '/api/auth/me', { token: fake })).toMatchObject({ status: 401 });
      }
      expect(await world.call('GET', '/api/auth/me')).toMatchObject({ status: 401 });
      expect(await world.call('GET', '/api/auth/me', { authorization: 'Bearer ' })).toMatchObject({
        status: 401,
      });
    });

    it('can be started 20 times concurrently', async () => {
      const { email } = await world.signUp();
      const replies = await runConcurrently(20, () => logInBy(email, PASSWORD, '198.51.100.200'));
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      expect(new Set(replies.map((reply) => reply.body.token)).size).toBe(20);
    });
  });

  describe('failed sign-ins', () => {
    it('return the same error whether or not the user exists', async () => {
      const { email } = await world.signUp();
      const expected = { error: 'Invalid email or password', code: 'invalid_login' };
      const wrong = await failFrom(email, '198.51.100.1');
      const unknown = await failFrom('nobody@shop.test', '198.51.100.1');
      expect([wrong.status, unknown.status]).toEqual([401, 401]);
      expect(wrong.body).toMatchObject(expected);
      expect(unknown.body).toMatchObject(expected);
    });

    it('lock out an IP address for an email after 10 failures, for 15 minutes', async () => {
      const { email } = await world.signUp();
      const ip = '198.51.100.2';
      for (let failures = 0; failures < 10; failures++) {
        expect(await failFrom(email, ip)).toMatchObject({ status: 401 });
        world.clock.now += 1000;
      }
      expect(await logInBy(email, PASSWORD, ip)).toMatchObject({
        status: 429,
        headers: { 'retry-after': String(15 * 60 - 10), 'x-should-retry': 'true' },
        body: { code: 'login_rate_limited' },
      });
      // The oldest failure leaves the window.
      world.clock.now += 15 * MINUTE - 10_000;
      expect(await logInBy(email, PASSWORD, ip)).toMatchObject({ status: 200 });
    });

    it('are counted exactly when they are concurrent', async () => {
      const { email } = await world.signUp();
      const replies = await runConcurrently(20, () => failFrom(email, '198.51.100.3'));
      expect(countStatuses(replies)).toEqual({ 401: 10, 429: 10 });
    });

    it('lock out an IP address or IPv6 network for all emails after 50 failures', async () => {
      const { email } = await world.signUp();
      for (let failures = 0; failures < 50; failures++) {
        const ip = `2001:db8:0:1::${failures.toString(16)}`;
        expect(await failFrom(`guess-${failures}@shop.test`, ip)).toMatchObject({ status: 401 });
      }
      expect(await logInBy(email, PASSWORD, '2001:db8:0:1:ffff::1')).toMatchObject({ status: 429 });
      expect(await logInBy(email, PASSWORD, '2001:db8:0:2::1')).toMatchObject({ status: 200 });
    });

    it('from many addresses only delay the sign-in of the user', async () => {
      const { email } = await world.signUp();
      for (let failures = 0; failures < 10; failures++) await failFrom(email, `192.0.2.${failures + 1}`);
      const waits: number[] = [];
      const signedIn = await logIn(
        world.affkit.runtime,
        { email, password: PASSWORD, ip: '192.0.2.99' },
        async (ms) => waits.push(ms),
      );
      expect(isRejection(signedIn)).toBe(false);
      expect(waits).toEqual([1000]);
    });

    it('without an IP address lock out no one, and delay sign-ins for the email', async () => {
      const { email } = await world.signUp();
      const { email: other } = await world.signUp();
      const replies = await runConcurrently(60, (index) =>
        failFrom(index < 10 ? email : `guess-${index}@shop.test`, null),
      );
      expect(countStatuses(replies)).toEqual({ 401: 60 });
      const waits: number[] = [];
      const sleep = async (ms: number) => waits.push(ms);
      for (const one of [email, other]) {
        const input = { email: one, password: PASSWORD, ip: null };
        expect(isRejection(await logIn(world.affkit.runtime, input, sleep))).toBe(false);
      }
      expect(waits).toEqual([1000]);
    });

    it('are reset when the address signs in', async () => {
      const { email } = await world.signUp();
      const ip = '198.51.100.5';
      for (let failures = 0; failures < 9; failures++) await failFrom(email, ip);
      expect(await logInBy(email, PASSWORD, ip)).toMatchObject({ status: 200 });
      for (let failures = 0; failures < 9; failures++) {
        expect(await failFrom(email, ip)).toMatchObject({ status: 401 });
      }
    });

    it('are stored without the email and the IP address in plain text', async () => {
      const { email } = await world.signUp();
      await failFrom(email, '198.51.100.6');
      const rows = JSON.stringify(await world.engine.read.selectFrom('login_failures').selectAll().execute());
      expect(rows).not.toContain(email);
      expect(rows).not.toContain('198.51.100.6');
    });

    it('name the missing field', async () => {
      expect(await world.call('POST', '/api/auth/login', { body: { password: 'x' } })).toMatchObject({
        status: 400,
        body: { error: 'email is required', code: 'invalid_field' },
      });
      expect(await world.call('POST', '/api/auth/login', { body: { email: 'a@shop.test' } })).toMatchObject({
        status: 400,
        body: { error: 'password is required' },
      });
    });
  });
}

/** Tests `ensureFirstOwner` on any engine. */
export function firstOwnerContract(open: OpenEngine): void {
  it('creates one owner with a workspace when called concurrently', async () => {
    const world = await openWorld(open);
    try {
      const results = await runConcurrently(8, (index) =>
        world.affkit.ensureFirstOwner({ email: `Admin${index}@shop.test` }),
      );
      const owners = results.filter((owner) => owner !== null);
      expect(owners).toEqual([
        {
          email: expect.stringMatching(/^admin\d@shop\.test$/),
          generatedPassword: expect.stringMatching(/^[0-9A-Za-z]{20}$/),
        },
      ]);
      expect(await world.affkit.ensureFirstOwner({ email: 'late@shop.test', password: 'x' })).toBeNull();

      const [owner] = owners;
      const login = await world.call<{ token: string }>('POST', '/api/auth/login', {
        body: { email: owner?.email, password: owner?.generatedPassword },
      });
      expect(await world.call('GET', '/api/auth/me', { token: login.body.token })).toMatchObject({
        body: { workspaces: [{ id: expect.any(Number), name: expect.any(String), role: 'owner' }] },
      });
    } finally {
      await world.close();
    }
  });

  it.each([
    [{ email: '' }, 'email must be an email address, got ""'],
    [{ email: undefined }, 'email must be an email address, got undefined'],
    [{ email: 'admin' }, 'email must be an email address, got "admin"'],
    [{ email: 'a@shop.test', password: '' }, 'password must be a string of 8 to 1024 characters'],
    [{ email: 'a@shop.test', password: '1234567' }, 'password must be a string of 8 to 1024 characters'],
    [
      { email: 'a@shop.test', password: 'x'.repeat(1025) },
      'password must be a string of 8 to 1024 characters',
    ],
  ])('rejects the owner %j, who could not sign in', async (owner, message) => {
    const world = await openWorld(open);
    try {
      // JavaScript callers can pass values of any type.
      const creating = world.affkit.ensureFirstOwner(owner as { email: string });
      await expect(creating).rejects.toThrow(new RangeError(`ensureFirstOwner: ${message}`));
      expect(await world.affkit.ensureFirstOwner({ email: ' admin@localhost' })).toMatchObject({
        email: 'admin@localhost',
      });
    } finally {
      await world.close();
    }
  });

  it('does not return a password that the caller has set', async () => {
    const world = await openWorld(open);
    try {
      expect(await world.affkit.ensureFirstOwner({ email: 'admin@shop.test', password: PASSWORD })).toEqual({
        email: 'admin@shop.test',
      });
      expect(
        await world.call('POST', '/api/auth/login', {
          body: { email: 'admin@shop.test', password: PASSWORD },
        }),
      ).toMatchObject({ status: 200 });
    } finally {
      await world.close();
    }
  });
}
