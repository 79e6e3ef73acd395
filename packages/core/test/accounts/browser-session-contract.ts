import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, PASSWORD, type World } from '../support/management-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LOGIN = '/api/auth/login';
const ME = '/api/auth/me';
const SESSIONS = '/api/auth/sessions';
const WORKSPACES = '/api/advertiser/workspaces';
const OWN = 'https://affkit.test';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const NEW_PASSWORD = 'another battery horse';
const CSRF = { status: 403, body: { code: 'origin_mismatch' } };
const SIGNED_OUT = { status: 401, body: { code: 'unauthenticated' } };

interface SessionRow {
  readonly id: number;
  readonly current: boolean;
}

/** Returns the cookie that a reply sets, in the form of a `Cookie` header, or undefined. */
export function sessionCookieOf({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  const cookies = headers['set-cookie']?.split('\n') ?? [];
  return cookies.find((cookie) => /^(?:__Host-)?affkit=/.test(cookie))?.split(';')[0];
}

export function browserSessionContract(open: OpenEngine): void {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());

  const logIn = (email: string, options: object = {}) =>
    world.call('POST', LOGIN, {
      body: { email, password: PASSWORD, cookie: true },
      origin: OWN,
      userAgent: FIREFOX,
      ...options,
    });
  async function signIn(email: string): Promise<string> {
    const reply = await logIn(email);
    const cookie = sessionCookieOf(reply);
    if (cookie === undefined) throw new Error(JSON.stringify(reply));
    return cookie;
  }
  const listSessions = async (cookie: string) =>
    (await world.call<{ data: SessionRow[] }>('GET', SESSIONS, { cookie })).body.data;

  describe('the cookie', () => {
    it('contains the session token, which is not in the body and is not accepted as a bearer token', async () => {
      const { email, token: bearer } = await world.signUp();
      const reply = await logIn(email);
      expect(reply).toMatchObject({ status: 200, body: { success: true, user: { email } } });
      expect(reply.body).not.toHaveProperty('token');
      const [device = '', session = ''] = reply.headers['set-cookie']?.split('\n') ?? [];
      expect(device).toMatch(/^affkit_device=/);
      expect(session).toMatch(
        /^__Host-affkit=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Strict; Secure$/,
      );
      const cookie = sessionCookieOf(reply) ?? '';
      expect(await world.call('GET', ME, { cookie: `a=b; ${cookie}` })).toMatchObject({
        status: 200,
        body: { user: { email } },
      });
      const token = cookie.slice(cookie.indexOf('=') + 1);
      expect(await world.call('GET', ME, { token })).toMatchObject(SIGNED_OUT);
      expect(await world.call('GET', ME, { cookie: `__Host-affkit=${bearer}` })).toMatchObject(SIGNED_OUT);
      expect(await world.call('GET', ME, { cookie: `affkit=${token}` })).toMatchObject(SIGNED_OUT);
    });

    it('over plain http, the cookie has no __Host- prefix, and the Origin header must be http too', async () => {
      const { email } = await world.owner();
      expect(await logIn(email, { secure: false })).toMatchObject(CSRF);
      const reply = await logIn(email, { secure: false, origin: 'http://affkit.test' });
      expect(reply.headers['set-cookie']).toMatch(
        /\naffkit=[\w.-]+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Strict$/,
      );
      const cookie = sessionCookieOf(reply) ?? '';
      const write = { body: { name: 'Shop' }, cookie, secure: false };
      expect(await world.call('POST', WORKSPACES, { ...write, origin: OWN })).toMatchObject(CSRF);
      expect(await world.call('POST', WORKSPACES, { ...write, origin: 'http://affkit.test' })).toMatchObject({
        status: 201,
      });
    });

    it('logout clears the cookie and ends the session', async () => {
      const cookie = await signIn((await world.signUp()).email);
      const reply = await world.call('POST', '/api/auth/logout', { cookie, origin: OWN });
      expect(reply.headers['set-cookie']).toBe(
        '__Host-affkit=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
      );
      expect(await world.call('GET', ME, { cookie })).toMatchObject(SIGNED_OUT);
    });
  });

  describe('the Origin header', () => {
    it('a write with the session cookie is rejected unless Origin is the origin of the service', async () => {
      const { email } = await world.owner();
      const cookie = await signIn(email);
      const write = { cookie, body: { name: 'Shop' } };
      for (const origin of [
        undefined,
        '',
        'null',
        'https://evil.test',
        'http://affkit.test',
        'https://affkit.test:8443',
        'https://affkit.test.evil.test',
        'https://sub.affkit.test',
        'https://affkit.test/',
      ]) {
        const from = origin === undefined ? {} : { origin };
        expect([origin, await world.call('POST', WORKSPACES, { ...write, ...from })]).toMatchObject([
          origin,
          CSRF,
        ]);
        expect([origin, (await world.call('GET', ME, { cookie, ...from })).status]).toEqual([origin, 200]);
      }
      expect(await world.call('DELETE', SESSIONS, { cookie, origin: 'https://evil.test' })).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining(`only on pages of ${OWN}. Open that URL.`) },
      });
      expect(await world.call('POST', WORKSPACES, { ...write, origin: OWN })).toMatchObject({ status: 201 });
    });

    it('only pages of the service can get a session cookie, so that other sites cannot sign visitors in', async () => {
      const { email, token } = await world.signUp();
      for (const origin of [{}, { origin: 'https://evil.test' }]) {
        const body = { email, password: PASSWORD, cookie: true };
        const login = await world.call('POST', LOGIN, { body, ...origin });
        const change = { password: PASSWORD, new_password: NEW_PASSWORD, cookie: true };
        const password = await world.call('POST', '/api/auth/password', { body: change, token, ...origin });
        const invited = { token: 'affi_x', cookie: true };
        const invite = await world.call('POST', '/api/auth/accept-invite', { body: invited, ...origin });
        for (const reply of [login, password, invite]) {
          expect(reply).toMatchObject(CSRF);
          expect(reply.headers).not.toHaveProperty('set-cookie');
        }
      }
    });

    it('if publicUrl is set, Origin is compared with it, regardless of the Host header', async () => {
      const publicUrl = 'https://shop.example/affiliates';
      const embedded = await openWorld(open, { publicUrl });
      try {
        const { email } = await embedded.owner();
        const body = { email, password: PASSWORD, cookie: true };
        const proxied = { secure: false, origin: 'https://shop.example' };
        const reply = await embedded.call('POST', LOGIN, { body, ...proxied });
        const cookie = sessionCookieOf(reply) ?? '';
        expect(cookie).toMatch(/^__Host-affkit=/);
        const write = { cookie, body: { name: 'Shop' }, ...proxied };
        expect(await embedded.call('POST', WORKSPACES, write)).toMatchObject({ status: 201 });
        expect(await embedded.call('POST', WORKSPACES, { ...write, origin: OWN })).toMatchObject(CSRF);
      } finally {
        await embedded.close();
      }
    });
  });

  describe('an Authorization header', () => {
    it('takes precedence over the cookie', async () => {
      const owner = await world.owner();
      const other = await world.signUp();
      const cookie = await signIn(owner.email);
      expect(await world.call('GET', ME, { cookie, token: other.token })).toMatchObject({
        body: { user: { email: other.email } },
      });
      for (const authorization of ['', 'Basic YTpi', 'Bearer', 'Bearer x', 'Bearer a.b.c']) {
        expect(await world.call('GET', ME, { cookie, authorization })).toMatchObject(SIGNED_OUT);
      }
      const request = { cookie, token: owner.token, origin: 'https://evil.test', body: { name: 'Shop' } };
      expect(await world.call('POST', WORKSPACES, request)).toMatchObject({ status: 201 });
    });
  });

  describe('other origins', () => {
    it('pages of other origins cannot read replies to requests with the session cookie', async () => {
      const cookie = await signIn((await world.owner()).email);
      const preflight = await world.call('OPTIONS', ME, { cookie, origin: 'https://evil.test' });
      const read = await world.call('GET', ME, { cookie, origin: 'https://evil.test' });
      expect([preflight.status, read.status]).toEqual([405, 200]);
      const names = [preflight, read].flatMap(({ headers }) => Object.keys(headers));
      expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
    });

    it('tracking routes ignore the session cookie', async () => {
      const cookie = await signIn((await world.owner()).email);
      for (const name of ['sale', 'refund', 'exists']) {
        expect(
          await world.call('POST', `/api/v1/track/${name}`, { cookie, origin: OWN, body: {} }),
        ).toMatchObject({ status: 401, body: { code: 'authorization_missing' } });
      }
      for (const [name, code] of [
        ['click', 'affiliate_url_required'],
        ['lead', 'lead_identifier_required'],
      ]) {
        expect(
          await world.call('POST', `/api/v1/track/${name}`, {
            cookie,
            origin: 'https://evil.test',
            body: {},
          }),
        ).toMatchObject({ status: 400, body: { code } });
      }
    });
  });

  describe('the end of a session', () => {
    it('a session ends 12 hours after its last use, and at the latest 14 days after its start', async () => {
      const { email } = await world.signUp();
      const idle = await signIn(email);
      const used = await signIn(email);
      const start = world.clock.now;
      for (; world.clock.now < start + 14 * DAY; world.clock.now += 11 * HOUR) {
        expect(await world.call('GET', ME, { cookie: used })).toMatchObject({ status: 200 });
      }
      expect(await world.call('GET', ME, { cookie: idle })).toMatchObject(SIGNED_OUT);
      world.clock.now = start + 14 * DAY - 1000;
      expect(await world.call('GET', ME, { cookie: used })).toMatchObject({ status: 200 });
      world.clock.now = start + 14 * DAY;
      expect(await world.call('GET', ME, { cookie: used })).toMatchObject(SIGNED_OUT);
    });

    it('the new end of a session is written to the database at most once in five minutes', async () => {
      const { userId, email } = await world.signUp();
      const cookie = await signIn(email);
      const start = world.clock.now;
      const endOf = async () => {
        await world.call('GET', ME, { cookie });
        const row = world.engine.read.selectFrom('sessions').select(['last_used_at', 'expires_at']);
        const query = row.where('user_id', '=', userId).where('renewable_until', 'is not', null);
        return await query.executeTakeFirstOrThrow();
      };
      const first = { last_used_at: start, expires_at: start + 12 * HOUR };
      world.clock.now = start + 5 * MINUTE - 1;
      expect(await endOf()).toEqual(first);
      world.clock.now = start + 5 * MINUTE;
      expect(await endOf()).toEqual({
        last_used_at: start + 5 * MINUTE,
        expires_at: start + 5 * MINUTE + 12 * HOUR,
      });
    });

    it('a rejected request does not extend the session', async () => {
      const cookie = await signIn((await world.owner()).email);
      world.clock.now += 11 * HOUR;
      expect(await world.call('DELETE', SESSIONS, { cookie })).toMatchObject(CSRF);
      world.clock.now += HOUR;
      expect(await world.call('GET', ME, { cookie })).toMatchObject(SIGNED_OUT);
    });
  });

  describe('the list of sessions', () => {
    it('shows the sessions of the user without their tokens', async () => {
      const { email, token } = await world.signUp();
      await world.call('POST', LOGIN, { body: { email, password: PASSWORD }, userAgent: 'curl/8.5.0' });
      const cookie = await signIn(email);
      const at = new Date(world.clock.now).toISOString();
      world.clock.now += 10 * MINUTE;
      const used = new Date(world.clock.now).toISOString();
      const reply = await world.call<{ data: SessionRow[] }>('GET', SESSIONS, { cookie });
      expect(reply).toMatchObject({
        status: 200,
        body: {
          data: [
            {
              kind: 'browser',
              device: 'Firefox on Linux',
              current: true,
              created_at: at,
              last_used_at: used,
            },
            { kind: 'token', device: null, current: false, created_at: at, last_used_at: at },
            { kind: 'token', device: null, current: false },
          ],
          meta: { pagination: { total: 3 } },
        },
      });
      const text = JSON.stringify(reply.body);
      for (const secret of [token, cookie.slice(cookie.indexOf('=') + 1)]) {
        const { jti } = JSON.parse(Buffer.from(secret.split('.')[1] ?? '', 'base64url').toString());
        expect(text).not.toContain(secret);
        expect(text).not.toContain(jti);
      }
      expect(await world.call('GET', SESSIONS, { token })).toMatchObject({
        body: { data: [{ current: false }, { current: false }, { current: true }] },
      });
    });

    it('lets the user end one session, all others, or the current one, but no session of another user', async () => {
      const { email } = await world.signUp();
      const outsider = await signIn((await world.signUp()).email);
      const [first, second, third] = [await signIn(email), await signIn(email), await signIn(email)];
      const end = (cookie: string, id: number | undefined) =>
        world.call('DELETE', `${SESSIONS}/${id}`, { cookie, origin: OWN });
      const idOf = async (cookie: string) => (await listSessions(cookie)).find((one) => one.current)?.id;
      const secondId = await idOf(second);
      expect(await end(outsider, secondId)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      const ended = await end(first, secondId);
      expect(ended).toMatchObject({ status: 200 });
      expect(ended.headers).not.toHaveProperty('set-cookie');
      expect(await world.call('GET', ME, { cookie: second })).toMatchObject(SIGNED_OUT);
      expect(await end(first, secondId)).toMatchObject({ status: 404 });
      expect(await world.call('DELETE', SESSIONS, { cookie: first, origin: OWN })).toMatchObject({
        status: 200,
      });
      expect(await world.call('GET', ME, { cookie: third })).toMatchObject(SIGNED_OUT);
      expect(await listSessions(first)).toMatchObject([{ current: true }]);
      expect(await listSessions(outsider)).toMatchObject([{ current: true }, { current: false }]);
      expect((await end(first, await idOf(first))).headers['set-cookie']).toMatch(
        /^__Host-affkit=; .*Max-Age=0/,
      );
      expect(await world.call('GET', ME, { cookie: first })).toMatchObject(SIGNED_OUT);
    });

    it('contains only the new session after a password change; the reply to the change contains no token', async () => {
      const { email, token } = await world.signUp();
      const [old, other] = [await signIn(email), await signIn(email)];
      const body = { password: PASSWORD, new_password: NEW_PASSWORD };
      const reply = await world.call('POST', '/api/auth/password', { cookie: old, origin: OWN, body });
      expect(reply.status).toBe(200);
      expect(reply.body).not.toHaveProperty('token');
      const cookie = sessionCookieOf(reply) ?? '';
      for (const ended of [{ cookie: old }, { cookie: other }, { token }]) {
        expect(await world.call('GET', ME, ended)).toMatchObject(SIGNED_OUT);
      }
      expect(await listSessions(cookie)).toMatchObject([{ current: true }]);
    });
  });

  describe('an invitation', () => {
    it('signs a new user in with a cookie, even if the request has the cookie of an ended session', async () => {
      const owner = await world.owner();
      const ended = await signIn(owner.email);
      await world.call('POST', '/api/auth/logout', { cookie: ended, origin: OWN });
      const invite = { email: `new-${owner.email}`, name: 'Zoe', role: 'viewer' };
      const { body } = await world.call<{ data: { invite_token: string } }>(
        'POST',
        '/api/advertiser/members',
        { token: owner.token, body: invite },
      );
      const accept = { token: body.data.invite_token, password: NEW_PASSWORD, cookie: true };
      const options = { body: accept, cookie: ended, origin: OWN };
      const reply = await world.call('POST', '/api/auth/accept-invite', options);
      expect(reply).toMatchObject({ status: 200, body: { user: { email: invite.email } } });
      expect(reply.body).not.toHaveProperty('token');
      expect(await world.call('GET', ME, { cookie: sessionCookieOf(reply) ?? '' })).toMatchObject({
        body: {
          workspaces: [
            { role: 'viewer', permissions: expect.arrayContaining(['tracking:read', 'performance:read']) },
          ],
        },
      });
    });
  });

  it('a signed-in user sees the permissions of their role in each workspace', async () => {
    const { token, workspaceId } = await world.owner();
    const { body } = await world.call<{ workspaces: object[] }>('GET', ME, { token });
    expect(body.workspaces).toEqual([
      {
        id: workspaceId,
        name: 'Acme',
        role: 'owner',
        permissions: expect.arrayContaining(['program:create', 'member:write', 'audit-log:read']),
      },
    ]);
    const member = await world.signUp([{ workspaceId, role: 'member' }]);
    const reply = await world.call<{ workspaces: { permissions: string[] }[] }>('GET', ME, {
      token: member.token,
    });
    const [workspace] = reply.body.workspaces;
    expect(workspace?.permissions).toContain('commission:list');
    expect(workspace?.permissions).not.toContain('commission:update');
  });
}
