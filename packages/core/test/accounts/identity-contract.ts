import { createSecretKey } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { deriveKey } from '../../src/access/derive-key.ts';
import { resetPassword } from '../../src/access/reset-password.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  SECRET,
  type SignedUp,
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

export function identityContract(open: OpenEngine): void {
  let world: World;
  let key: CryptoKey;
  let jwk: JWK;
  let isDown = false;
  let fetchCount = 0;
  let user: SignedUp & { readonly workspaceId: number };
  let sub: string;

  const identityProvider = {
    jwksUrl: `${ISSUER}/keys`,
    issuer: ISSUER,
    audience: 'affkit',
    fetch: async () => {
      fetchCount++;
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
  /** Signs a token like the provider does. The arguments override parts of the token. */
  const sign = (
    claims: Claims = {},
    change: (token: SignJWT) => SignJWT = (token) => token,
    signer: CryptoKey | Uint8Array = key,
    header: { alg: string; kid?: string } = { alg: 'ES256', kid: 'one' },
  ): Promise<string> => {
    const payload = { email: user.email, email_verified: true, sub, iat: seconds(), ...claims };
    // The tests also send claims of invalid types.
    const token = new SignJWT(payload as JWTPayload)
      .setProtectedHeader(header)
      .setIssuer(ISSUER)
      .setAudience('affkit')
      .setExpirationTime(seconds() + 3600);
    return change(token).sign(signer);
  };
  const me = (token: string) => world.call<{ user: unknown }>('GET', ME, { token });

  it.each([
    ['the Kelvin sign', '\u212a'],
    ['a full-width letter', '\uff4b'],
    ['a no-break space', '\u00a0k'],
  ])('is not linked by an email that contains %s instead of the letter k', async (name, lookalike) => {
    const email = `k${user.email}`;
    await world.engine.write(0, async ({ db }) => {
      await db.updateTable('users').set({ email }).where('id', '=', user.userId).execute();
    });
    const foreign = email.replace('k', lookalike);
    expect((await me(await sign({ email: foreign, sub: `${name} of ${email}` }))).status).toBe(401);
    expect((await me(await sign({ email: ` ${email.toUpperCase()} ` }))).status).toBe(200);
  });

  it('a verified email links a subject to a user; after that, only the subject identifies the user', async () => {
    expect(await me(await sign())).toMatchObject({
      status: 200,
      body: { user: { id: user.userId, email: user.email }, workspaces: [{ role: 'owner' }] },
    });
    const otherUser = await world.signUp();
    const moved = await me(await sign({ email: otherUser.email, email_verified: false }));
    expect(moved).toMatchObject({ status: 200, body: { user: { id: user.userId } } });
    const upper = await sign({ email: otherUser.email.toUpperCase(), sub: 'another' });
    expect(await me(upper)).toMatchObject({ status: 200, body: { user: { id: otherUser.userId } } });
  });

  it('a token is rejected if another subject is already linked to the user with this email', async () => {
    const subs = await runConcurrently(20, (index) => sign({ sub: `${sub} ${index % 4}` }));
    const replies = await Promise.all(subs.map(me));
    expect(countStatuses(replies)).toEqual({ 200: 5, 401: 15 });
    const rows = await world.engine.read
      .selectFrom('identities')
      .select('subject')
      .where('user_id', '=', user.userId)
      .execute();
    expect(rows).toHaveLength(1);
  });

  it.each<[string, Claims]>([
    ['an unverified email', { email_verified: false }],
    ['no email_verified claim', { email_verified: undefined }],
    ['a string as email_verified', { email_verified: 'true' }],
    ['an email that has no user', { email: 'nobody@shop.test' }],
    ['an empty subject', { sub: '' }],
    ['a number as subject', { sub: 5 }],
    ['a list as subject', { sub: ['a'] }],
    ['a NUL in its subject', { sub: 'a\0b' }],
    ['a lone surrogate in its subject', { sub: 'a\ud800' }],
    ['a number as email', { email: 5 }],
    ['a NUL in its email', { email: 'a\0@shop.test' }],
    ['a lone surrogate in its email', { email: '\ud800@shop.test' }],
    ['a string as issue time', { iat: 'now' }],
  ])('is rejected with %s', async (_what, claims) => {
    expect(await me(await sign(claims))).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('is rejected with a wrong issuer, audience or time, or a lifetime over 24 hours', async () => {
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

  it('is rejected when signed with another key, with a shared secret, or not at all', async () => {
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
    const askPortal = async () => world.call('GET', '/api/partner/me', { token: await sign() });
    expect(await askPortal()).toMatchObject({ status: 403 });
    await world.engine.write(workspaceId, (tx) =>
      tx.db
        .insertInto('partners')
        .values({ workspace_id: workspaceId, email: sub, name: 'Pat', user_id: userId, created_at: 0 })
        .execute(),
    );
    expect(await askPortal()).toMatchObject({
      status: 200,
      body: { user: { id: userId }, partners: [{ name: 'Pat' }] },
    });
  });

  it('a token is invalid after logout and after a change of password', async () => {
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

  it('is accepted if its issue time is at most a minute in the future, and logout invalidates it too', async () => {
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
    const laterToken = await sign({ iat: seconds() + 57 });
    expect((await me(laterToken)).status).toBe(200);
    expect((await world.call('POST', '/api/auth/password', change)).status).toBe(200);
    for (const ended of [ahead, laterToken]) expect((await me(ended)).status).toBe(401);
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
  /**
   * Accepts an invitation in place of the invited person. The creator of the invitation knows the token and
   * could do this.
   */
  const acceptInvitationOf = async (email: string) => {
    const invited = { email, name: 'Vic', role: 'viewer' };
    const { body } = await post<{ data: { invite_token: string } }>(MEMBERS, invited, user.token);
    const acceptance = { token: body.data.invite_token, password: PASSWORD };
    expect((await post('/api/auth/accept-invite', acceptance)).status).toBe(200);
  };

  it.each<[string, (email: string) => Promise<string>]>([
    [
      'set by accepting the invitation',
      async (email) => {
        await acceptInvitationOf(email);
        return PASSWORD;
      },
    ],
    [
      'set by accepting the invitation, and later changed',
      async (email) => {
        await acceptInvitationOf(email);
        expect((await change(email, 'changed by another')).status).toBe(200);
        return 'changed by another';
      },
    ],
  ])('ends earlier sessions, and removes a password that the inviter %s', async (_, set) => {
    const email = `${user.email}.invited`;
    const password = await set(email);
    const earlySession = (await logIn(email, password)).body.token;
    expect((await me(earlySession)).status).toBe(200);
    const tokens = await runConcurrently(5, () => sign({ email, sub: email }));
    expect(countStatuses(await Promise.all(tokens.map(me)))).toEqual({ 200: 5 });
    expect((await me(earlySession)).status).toBe(401);
    expect((await logIn(email, password)).status).toBe(401);
    expect((await me(tokens[0] ?? '')).status).toBe(200);
  });

  it('linking an identity keeps the password of the first owner, even if the owner has changed it', async () => {
    const changed = await change(user.email, 'my own password');
    expect((await me(await sign())).status).toBe(200);
    expect((await me(changed.body.token)).status).toBe(200);
    expect((await logIn(user.email, 'my own password')).status).toBe(200);
  });

  it('linking an identity keeps a password that the operator has set', async () => {
    const email = `${user.email}.invited`;
    await acceptInvitationOf(email);
    const password = await resetPassword(world.affkit.runtime, email);
    expect((await me(await sign({ email, sub: email }))).status).toBe(200);
    expect((await logIn(email, password ?? '')).status).toBe(200);
  });

  it('fetches an unavailable key set at most once in five seconds', async () => {
    isDown = true;
    const otherWorld = await openWorld(open, { identityProvider });
    const token = await sign();
    fetchCount = 0;
    for (let attempt = 0; attempt < 20; attempt++) {
      expect((await otherWorld.call('GET', ME, { token })).status).toBe(503);
      otherWorld.clock.now += 249;
    }
    expect(fetchCount).toBe(1);
    otherWorld.clock.now += 1000;
    expect((await otherWorld.call('GET', ME, { token })).status).toBe(503);
    expect(fetchCount).toBe(2);
    isDown = false;
    otherWorld.clock.now += 5000;
    expect((await otherWorld.call('GET', ME, { token })).status).toBe(401);
    expect(fetchCount).toBe(3);
    await otherWorld.close();
  });

  it('gets a 503 while the key set is unavailable', async () => {
    isDown = true;
    const otherWorld = await openWorld(open, { identityProvider });
    const reply = await otherWorld.call('GET', ME, { token: await sign() });
    expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    isDown = false;
    await otherWorld.close();
  });
}
