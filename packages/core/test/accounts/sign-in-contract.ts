import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  type World,
} from '../support/management-world.ts';

const MINUTE = 60_000;

export function signInContract(open: OpenEngine): void {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());

  const logInBy = (email: string, password: string, ip: string | null) =>
    world.call<{ token?: string }>('POST', '/api/auth/login', { body: { email, password }, ip });

  describe('a session', () => {
    it('a session starts with the right email and password, identifies the user, and ends with logout', async () => {
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
          workspaces: [{ id: workspaceId, name: 'Acme', role: 'owner', permissions: expect.any(Array) }],
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

    it('is ended by 20 concurrent logouts', async () => {
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

    it('rejects a session token that is forged or unsigned', async () => {
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
}

export function firstOwnerContract(open: OpenEngine): void {
  it('concurrent calls create the first owner once, with a workspace', async () => {
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
  ])('creates no owner from %j: nobody could sign in with these values', async (owner, message) => {
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

  it('the password of the first owner is not returned if the caller has set it', async () => {
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
