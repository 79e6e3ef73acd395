import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { deriveKey } from '../src/access/derive-key.ts';
import type { OpenEngine } from './engine-kinds.ts';
import {
  atOnce,
  openWorld,
  PASSWORD,
  SECRET,
  type SignedUp,
  statuses,
  type World,
} from './management-world.ts';

const ISSUER = 'https://id.example';
const ME = '/api/auth/me';

interface Claims {
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly sub?: string;
}

/** Sessions of an outside identity provider, on any engine. */
export function identityContract(open: OpenEngine): void {
  let world: World;
  let key: CryptoKey;
  let jwk: JWK;
  let isDown = false;
  let user: SignedUp & { readonly workspaceId: number };
  let sub: string;

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    key = pair.privateKey;
    jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
    const identityProvider = {
      jwksUrl: `${ISSUER}/keys`,
      issuer: ISSUER,
      audience: 'affkit',
      fetch: async () => (isDown ? new Response('', { status: 500 }) : Response.json({ keys: [jwk] })),
    };
    world = await openWorld(open, { identityProvider });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    user = await world.owner();
    sub = `subject of ${user.email}`;
  });

  const seconds = () => Math.floor(world.clock.now / 1000);
  /** A token as the provider makes it, but for what the test changes. */
  const sign = (
    claims: Claims = {},
    change: (token: SignJWT) => SignJWT = (token) => token,
    signer: CryptoKey | Uint8Array = key,
    header: { alg: string; kid?: string } = { alg: 'ES256', kid: 'one' },
  ): Promise<string> => {
    const token = new SignJWT({ email: user.email, email_verified: true, sub, ...claims })
      .setProtectedHeader(header)
      .setIssuer(ISSUER)
      .setAudience('affkit')
      .setIssuedAt(seconds())
      .setExpirationTime(seconds() + 3600);
    return change(token).sign(signer);
  };
  const me = (token: string) => world.call<{ user: unknown }>('GET', ME, { token });

  it('is bound to the user of its verified e-mail, and then known by its subject alone', async () => {
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

  it('that has an address of someone who is bound already opens nothing', async () => {
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
    ['an e-mail of which nothing is said', { email_verified: undefined }],
    ['a word for a truth', { email_verified: 'true' }],
    ['an e-mail without a user', { email: 'nobody@shop.test' }],
    ['no subject', { sub: '' }],
  ])('is not taken with %s', async (_what, claims) => {
    expect(await me(await sign(claims))).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('is not taken from another issuer, for another audience, out of its time, or for too long', async () => {
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

  it('is not taken when it is signed by another key, a shared secret or none', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    expect((await me(await sign({}, undefined, privateKey))).status).toBe(401);
    const secrets = [new TextEncoder().encode(JSON.stringify(jwk)), deriveKey(SECRET, 'session')];
    for (const secret of secrets) {
      const token = await sign({}, undefined, secret, { alg: 'HS256', kid: 'one' });
      expect((await me(token)).status).toBe(401);
    }
    const [, payload] = (await sign()).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect((await me(`${none}.${payload}.`)).status).toBe(401);
    expect((await me(`${none}.${payload}.AA`)).status).toBe(401);
  });

  it('opens what is a partner’s to the user who is one', async () => {
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

  it('ends with logout and with a change of password', async () => {
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

  it('is neither taken nor refused while its key set cannot be had', async () => {
    isDown = true;
    const down = {
      jwksUrl: `${ISSUER}/keys`,
      issuer: ISSUER,
      audience: 'affkit',
      fetch: async () => new Response('', { status: isDown ? 500 : 200 }),
    };
    const other = await openWorld(open, { identityProvider: down });
    const reply = await other.call('GET', ME, { token: await sign() });
    expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    isDown = false;
    await other.close();
  });
}
