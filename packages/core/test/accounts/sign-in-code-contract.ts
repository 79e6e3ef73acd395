import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createSignInCode } from '../../src/access/sign-in-code.ts';
import { makeToken } from '../../src/domain/token.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  type World,
} from '../support/management-world.ts';
import { sessionCookieOf } from './browser-session-contract.ts';

const LOGIN = '/api/auth/login';
const ORIGIN = 'https://affkit.test';
const MINUTE = 60_000;
const REFUSED = { status: 401, body: { code: 'sign_in_code_invalid' } };

export function signInCodeContract(open: OpenEngine): void {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());

  async function makeCode(email: string): Promise<string> {
    const made = await createSignInCode(world.affkit.runtime, email);
    if (made === null) throw new Error(`No user has the address ${email}`);
    return made.code;
  }
  const redeem = (code: string) =>
    world.call('POST', LOGIN, { body: { code, cookie: true }, origin: ORIGIN });

  it('signs the user in once, without making the browser a known device', async () => {
    const { email } = await world.signUp();
    const code = await makeCode(` ${email.toUpperCase()}`);
    expect(code).toMatch(/^affs_[0-9A-Za-z]{36}$/);
    const reply = await redeem(code);
    expect(reply).toMatchObject({ status: 200, body: { user: { email } } });
    expect(reply.headers['set-cookie']).not.toContain('affkit_device');
    const cookie = sessionCookieOf(reply) ?? '';
    expect(await world.call('GET', '/api/auth/me', { cookie })).toMatchObject({ body: { user: { email } } });
    expect(await redeem(code)).toMatchObject(REFUSED);
  });

  it('signs the user in only once when it is redeemed 20 times concurrently', async () => {
    const code = await makeCode((await world.signUp()).email);
    const replies = await runConcurrently(20, () => redeem(code));
    expect(countStatuses(replies)).toEqual({ 200: 1, 401: 19 });
  });

  it('returns a bearer token if the client does not request a cookie', async () => {
    const code = await makeCode((await world.signUp()).email);
    const { body } = await world.call<{ token: string }>('POST', LOGIN, { body: { code } });
    expect(await world.call('GET', '/api/auth/me', { token: body.token })).toMatchObject({ status: 200 });
  });

  it('is refused after ten minutes, after the user has ended all other sessions, and after a password change', async () => {
    const { email, token } = await world.signUp();
    const late = await makeCode(email);
    world.clock.now += 10 * MINUTE;
    expect(await redeem(late)).toMatchObject(REFUSED);
    const ended = await makeCode(email);
    expect(await world.call('DELETE', '/api/auth/sessions', { token })).toMatchObject({ status: 200 });
    expect(await redeem(ended)).toMatchObject(REFUSED);
    const old = await makeCode(email);
    const body = { password: PASSWORD, new_password: 'another battery horse' };
    expect(await world.call('POST', '/api/auth/password', { token, body })).toMatchObject({ status: 200 });
    expect(await redeem(old)).toMatchObject(REFUSED);
  });

  it('is stored as a hash, and not created for an unknown address', async () => {
    const code = await makeCode((await world.signUp()).email);
    const rows = await world.engine.read.selectFrom('one_time_codes').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(await createSignInCode(world.affkit.runtime, 'nobody@shop.test')).toBeNull();
    for (const wrong of ['nothing', `affs_${'0'.repeat(36)}`, code.replace('affs_', 'affi_')]) {
      expect(await redeem(wrong)).toMatchObject(REFUSED);
    }
    expect(await redeem(code)).toMatchObject({ status: 200 });
  });

  it('causes no write when it is unknown, because anyone can send codes', async () => {
    const code = makeToken('affs_', world.affkit.runtime.randomBytes);
    const write = vi.spyOn(world.affkit.runtime.engine, 'write');
    expect(await redeem(code)).toMatchObject(REFUSED);
    const writes = write.mock.calls.length;
    write.mockRestore();
    expect(writes).toBe(0);
  });

  it.each([
    [{ code: 5 }, 'code is required'],
    [{ code: 'x', email: 'a@shop.test' }, 'Unknown field "email". Known: code, cookie.'],
    [{ cookie: 'yes', email: 'a@shop.test', password: 'x' }, 'cookie must be true or false'],
    [{ cookie: true }, 'email is required'],
    [{ email: 'a@shop.test' }, 'password is required'],
  ])('rejects the sign-in %j', async (body, error) => {
    expect(await world.call('POST', LOGIN, { body })).toMatchObject({ status: 400, body: { error } });
  });
}
