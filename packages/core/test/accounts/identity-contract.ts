import { createSecretKey } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { deriveKey } from '../../src/access/derive-key.ts';
import { resetPassword } from '../../src/access/reset-password.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  atOnce,
  openWorld,
  PASSWORD,
  SECRET,
  type SignedUp,
  statuses,
  type World,
} from '../support/management-world.ts';

const ISSUER = 'https://id.example';
const ME = '/api/auth/me';

interface Claims {
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly sub?: unknown;
  readonly iat?: unknown;
}

/** Tests of tokens of the external identity provider, for every engine. */
export function identityContract(open: OpenEngine): void {
  let world: World;
  let key: CryptoKey;
  let jwk: JWK;
  let isDown = false;
  let fetches = 0;
  let user: SignedUp & { readonly workspaceId: number };
  let sub: string;

  const identityProvider = {
    jwksUrl: `${ISSUER}/keys`,
    issuer: ISSUER,
    audience: 'affkit',
    fetch: async () => {
      fetches++;
      return isDown ? new Response('', { status: 500 }) : Response.json({ keys: [jwk] });
    },
  };

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    key = pair.privateKey;
    jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
    world = await openWorld(open, { identityProvider });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    user = await world.owner();
    sub = `subject of ${user.email}`;
  });

  const seconds = () => Math.floor(world.clock.now / 1000);
  /** Signs a valid token of the provider, with the changes of the test. */
  const sign = (
    claims: Claims = {},
    change: (token: SignJWT) => SignJWT = (token) => token,
    signer: CryptoKey | Uint8Array = key,
    header: { alg: string; kid?: string } = { alg: 'ES256', kid: 'one' },
  ): Promise<string> => {
    const payload = { email: user.email, email_verified: true, sub, iat: seconds(), ...claims };
    // The tests also send claims that the type does not allow.
    const token = new SignJWT(payload as JWTPayload)
      .setProtectedHeader(header)
      .setIssuer(ISSUER)
      .setAudience('affkit')
      .setExpirationTime(seconds() + 3600);
    return change(token).sign(signer);
  };
  const me = (token: string) => world.call<{ user: unknown }>('GET', ME, { token });

  it('is bound to the user of its verified e-mail, and later matched by subject only', async () => {
    expect(await me(await sign())).toMatchObject({
      status: 200,
      body: { user: { id: user.userId, email: user.email }, workspaces: [{ role: 'owner' }] },
    });
    const other = await world.signUp();
    const moved = await me(await sign({ email: other.email, email_verified: false }));
    expect(moved).toMatchObject({ status: 200, body: { user: { id: user.userId } } });
    const upper = await sign({ email: other.email.toUpperCase(), sub: 'another' });
    expect(await me(upper)).toMatchObject({ status: 200, body: { user: { id: other.userId } } });
  });

  it('is rejected if its e-mail belongs to a user who is bound to another subject', async () => {
    const subs = await atOnce(20, (index) => sign({ sub: `${sub} ${index % 4}` }));
    const replies = await Promise.all(subs.map(me));
    expect(statuses(replies)).toEqual({ 200: 5, 401: 15 });
    const rows = await world.engine.read
      .selectFrom('identities')
      .select('subject')
      .where('user_id', '=', user.userId)
      .execute();
    expect(rows).toHaveLength(1);
  });

  it.each<[string, Claims]>([
    ['an e-mail that is not verified', { email_verified: false }],
    ['an e-mail without email_verified', { email_verified: undefined }],
    ['email_verified as a string', { email_verified: 'true' }],
    ['an e-mail without a user', { email: 'nobody@shop.test' }],
    ['an empty subject', { sub: '' }],
    ['a subject that is not a string', { sub: 5 }],
    ['an array as subject', { sub: ['a'] }],
    ['a subject with a NUL', { sub: 'a\0b' }],
    ['a lone surrogate in the subject', { sub: 'a\ud800' }],
    ['an e-mail that is not a string', { email: 5 }],
    ['a NUL in the e-mail', { email: 'a\0@shop.test' }],
    ['a lone surrogate in the e-mail', { email: '\ud800@shop.test' }],
    ['an iat that is not a number', { iat: 'now' }],
  ])('is rejected with %s', async (_what, claims) => {
    expect(await me(await sign(claims))).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('is rejected with another issuer or audience, when expired or not yet valid, or with a long lifetime', async () => {
    const wrong: ((token: SignJWT) => SignJWT)[] = [
      (token) => token.setIssuer('https://evil.example'),
      (token) => token.setAudience('other'),
      (token) => token.setExpirationTime(seconds() - 60),
      (token) => token.setNotBefore(seconds() + 600),
      (token) => token.setExpirationTime(seconds() + 24 * 3600 + 60),
    ];
    for (const change of wrong) expect((await me(await sign({}, change))).status).toBe(401);
    const endless = new SignJWT({ email: user.email, email_verified: true, sub })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(ISSUER)
      .setAudience('affkit')
      .setIssuedAt(seconds());
    expect((await me(await endless.sign(key))).status).toBe(401);
    expect((await me(await sign({}, (token) => token.setExpirationTime(seconds() + 24 * 3600)))).status).toBe(
      200,
    );
  });

  it('is rejected when it is signed by another key or a shared secret, or unsigned', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    expect((await me(await sign({}, undefined, privateKey))).status).toBe(401);
    const secrets = [
      new TextEncoder().encode(JSON.stringify(jwk)),
      deriveKey(createSecretKey(SECRET, 'utf8'), 'session'),
    ];
    for (const secret of secrets) {
      const token = await sign({}, undefined, secret, { alg: 'HS256', kid: 'one' });
      expect((await me(token)).status).toBe(401);
    }
    const [, payload] = (await sign()).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect((await me(`${none}.${payload}.`)).status).toBe(401);
    expect((await me(`${none}.${payload}.AA`)).status).toBe(401);
  });

  it('gives a user who is a partner access to the partner portal', async () => {
    const { userId, workspaceId } = user;
    const mine = async () => world.call('GET', '/api/partner/me', { token: await sign() });
    expect(await mine()).toMatchObject({ status: 403 });
    await world.engine.write(workspaceId, (tx) =>
      tx.db
        .insertInto('partners')
        .values({ workspace_id: workspaceId, email: sub, name: 'Pat', user_id: userId, created_at: 0 })
        .execute(),
    );
    expect(await mine()).toMatchObject({
      status: 200,
      body: { user: { id: userId }, partners: [{ name: 'Pat' }] },
    });
  });

  it('is rejected after logout and after a password change', async () => {
    const first = await sign();
    expect((await me(first)).status).toBe(200);
    expect((await world.call('POST', '/api/auth/logout', { token: first })).status).toBe(200);
    expect((await me(first)).status).toBe(401);
    expect((await me(user.token)).status).toBe(200);
    world.clock.now += 1000;
    const second = await sign();
    expect((await me(second)).status).toBe(200);
    const body = { password: PASSWORD, new_password: 'another password' };
    expect((await world.call('POST', '/api/auth/password', { token: second, body })).status).toBe(200);
    expect((await me(second)).status).toBe(401);
  });

  it('from a clock up to a minute ahead is rejected after logout, and beyond a minute at once', async () => {
    const ahead = await sign({ iat: seconds() + 60 });
    expect((await me(await sign({ iat: seconds() + 61 }))).status).toBe(401);
    expect((await me(ahead)).status).toBe(200);
    world.clock.now += 5000;
    expect((await world.call('POST', '/api/auth/logout', { token: ahead })).status).toBe(200);
    expect((await me(ahead)).status).toBe(401);
    const body = { email: user.email, password: PASSWORD };
    const { token } = (await world.call<{ token: string }>('POST', '/api/auth/login', { body })).body;
    await world.call('POST', '/api/auth/logout', { token: await sign({ iat: seconds() + 56 }) });
    world.clock.now += 1000;
    const change = { token, body: { password: PASSWORD, new_password: 'another password' } };
    const other = await sign({ iat: seconds() + 57 });
    expect((await me(other)).status).toBe(200);
    expect((await world.call('POST', '/api/auth/password', change)).status).toBe(200);
    for (const ended of [ahead, other]) expect((await me(ended)).status).toBe(401);
    world.clock.now += 61_000;
    expect((await me(ahead)).status).toBe(401);
    expect((await me(await sign())).status).toBe(200);
  });

  const MEMBERS = '/api/advertiser/members';
  const post = <T>(path: string, body: unknown, token?: string) =>
    world.call<T>('POST', path, { body, ip: null, ...(token !== undefined && { token }) });
  const logIn = (email: string, password: string) =>
    post<{ token: string }>('/api/auth/login', { email, password });
  const change = async (email: string, password: string) => {
    const { token } = (await logIn(email, PASSWORD)).body;
    return await post<{ token: string }>(
      '/api/auth/password',
      { password: PASSWORD, new_password: password },
      token,
    );
  };
  const addWithPassword = (email: string) =>
    post(MEMBERS, { email, name: 'Vic', role: 'viewer', password: PASSWORD }, user.token);

  it.each<[string, (email: string) => Promise<string>]>([
    [
      'another person set',
      async (email) => {
        expect((await addWithPassword(email)).status).toBe(201);
        return PASSWORD;
      },
    ],
    [
      'another person set and changed',
      async (email) => {
        await addWithPassword(email);
        expect((await change(email, 'changed by another')).status).toBe(200);
        return 'changed by another';
      },
    ],
    [
      'another person chose when accepting the invitation',
      async (email) => {
        const invited = { email, name: 'Vic', role: 'viewer' };
        const { body } = await post<{ data: { invite_token: string } }>(MEMBERS, invited, user.token);
        const taken = { token: body.data.invite_token, password: PASSWORD };
        expect((await post('/api/auth/accept-invite', taken)).status).toBe(200);
        return PASSWORD;
      },
    ],
  ])('ends the sessions of a password that %s, and replaces it', async (_, set) => {
    const email = `${user.email}.invited`;
    const password = await set(email);
    const early = (await logIn(email, password)).body.token;
    expect((await me(early)).status).toBe(200);
    const tokens = await atOnce(5, () => sign({ email, sub: email }));
    expect(statuses(await Promise.all(tokens.map(me)))).toEqual({ 200: 5 });
    expect((await me(early)).status).toBe(401);
    expect((await logIn(email, password)).status).toBe(401);
    expect((await me(tokens[0] ?? '')).status).toBe(200);
  });

  it('keeps the password of the first owner, even after a change', async () => {
    const changed = await change(user.email, 'my own password');
    expect((await me(await sign())).status).toBe(200);
    expect((await me(changed.body.token)).status).toBe(200);
    expect((await logIn(user.email, 'my own password')).status).toBe(200);
  });

  it('keeps a password that the operator reset', async () => {
    const email = `${user.email}.invited`;
    await addWithPassword(email);
    const password = await resetPassword(world.affkit.runtime, email);
    expect((await me(await sign({ email, sub: email }))).status).toBe(200);
    expect((await logIn(email, password ?? '')).status).toBe(200);
  });

  it('causes at most one fetch in five seconds of a key set that cannot be fetched', async () => {
    isDown = true;
    const other = await openWorld(open, { identityProvider });
    const token = await sign();
    fetches = 0;
    for (let tries = 0; tries < 20; tries++) {
      expect((await other.call('GET', ME, { token })).status).toBe(503);
      other.clock.now += 249;
    }
    expect(fetches).toBe(1);
    other.clock.now += 1000;
    expect((await other.call('GET', ME, { token })).status).toBe(503);
    expect(fetches).toBe(2);
    isDown = false;
    other.clock.now += 5000;
    expect((await other.call('GET', ME, { token })).status).toBe(401);
    expect(fetches).toBe(3);
    await other.close();
  });

  it('returns 503 while the key set cannot be fetched', async () => {
    isDown = true;
    const other = await openWorld(open, { identityProvider });
    const reply = await other.call('GET', ME, { token: await sign() });
    expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    isDown = false;
    await other.close();
  });
}
