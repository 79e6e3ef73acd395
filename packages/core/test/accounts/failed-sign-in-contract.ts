import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '../../src/access/login.ts';
import { MAX_QUEUED_SIGN_INS } from '../../src/access/sign-in-queue.ts';
import { isRejection } from '../../src/rejection.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  forge,
  openWorld,
  PASSWORD,
  runConcurrently,
  type World,
} from '../support/management-world.ts';
import { API_CLIENT, storeFailedSignIns } from '../support/users.ts';

const LOGIN = '/api/auth/login';
const MINUTE = 60_000;

export function failedSignInContract(open: OpenEngine): void {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());

  const logInBy = (email: string, password: string, ip: string | null, cookie = '') =>
    world.call<{ token: string }>('POST', LOGIN, { body: { email, password }, ip, cookie });
  const failFrom = (email: string, ip: string | null, cookie?: string) => logInBy(email, 'wrong', ip, cookie);
  /** Signs in, but skips the delays. @returns the status, and the skipped delays */
  const logInAtOnce = async (email: string, password: string, ip: string | null) => {
    const waits: number[] = [];
    const outcome = await logIn(
      world.affkit.runtime,
      { email, password, ip, client: API_CLIENT },
      async (ms) => waits.push(ms),
    );
    return { code: isRejection(outcome) ? outcome.code : null, waits };
  };
  const fail = (
    count: number,
    ip: (index: number) => string | null,
    email: (index: number) => string,
    { affkit, clock }: World = world,
  ) =>
    storeFailedSignIns(
      affkit.runtime,
      clock.now,
      Array.from({ length: count }, (_, index) => ({ email: email(index), ip: ip(index) })),
    );
  const anyone = (index: number) => `guess-${index}@shop.test`;
  /** Returns the device cookie that a reply sets, in the form of a `Cookie` header. */
  const cookieOf = ({ status, headers }: { status: number; headers: Readonly<Record<string, string>> }) => {
    expect(status).toBe(200);
    return (headers['set-cookie'] ?? '').split(';')[0] ?? '';
  };
  /** Signs in from an IP address that no test blocks. @returns the cookie of the device */
  const signInOnDevice = async (email: string) => cookieOf(await logInBy(email, PASSWORD, '198.51.100.99'));

  describe('failed sign-ins', () => {
    it('return the same error whether or not the user exists', async () => {
      const { email } = await world.signUp();
      const expected = { error: 'Invalid email or password', code: 'invalid_login' };
      const wrong = await failFrom(email, '198.51.100.1');
      const unknown = await failFrom('nobody@shop.test', '198.51.100.1');
      expect([wrong.status, unknown.status]).toEqual([401, 401]);
      expect(wrong.body).toMatchObject(expected);
      expect(unknown.body).toMatchObject(expected);
      expect(Object.keys(wrong.headers)).toEqual(Object.keys(unknown.headers));
    });

    it('after 10 failures for an email, an IP address is locked out for this email, for 15 minutes', async () => {
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
      // Now the oldest failure is outside of the window.
      world.clock.now += 15 * MINUTE - 10_000;
      expect(await logInBy(email, PASSWORD, ip)).toMatchObject({ status: 200 });
    });

    it('failed sign-ins are all counted, even if they are concurrent', async () => {
      const { email } = await world.signUp();
      const replies = await runConcurrently(20, () => failFrom(email, '198.51.100.3'));
      expect(countStatuses(replies)).toEqual({ 401: 10, 429: 10 });
    });

    it('sign-ins for an email, in any spelling and from any IP address, wait in one queue of at most 32', async () => {
      const { email } = await world.signUp();
      // After 10 failures, each sign-in has to wait, so none leaves the queue before the last one arrives.
      await fail(
        10,
        (index) => `198.51.100.${index + 40}`,
        () => email,
      );
      const spellings = [email, ` ${email} `, email.toUpperCase()];
      let waiting = 0;
      let most = 0;
      let rejected = 0;
      const allArrived = Promise.withResolvers<void>();
      const sleep = async () => {
        most = Math.max(most, ++waiting);
        await allArrived.promise;
        waiting -= 1;
      };
      const outcomes = await runConcurrently(100, async (index) => {
        const input = { email: spellings[index % 3] ?? '', password: 'wrong', ip: `192.0.2.${index}` };
        const outcome = await logIn(world.affkit.runtime, { ...input, client: API_CLIENT }, sleep);
        const isRejected = isRejection(outcome) && outcome.code === 'login_rate_limited';
        if (isRejected && ++rejected === 100 - MAX_QUEUED_SIGN_INS) allArrived.resolve();
        return outcome;
      });
      const codes = outcomes.map((outcome) => (isRejection(outcome) ? outcome.code : null));
      expect(codes.filter((code) => code === 'invalid_login')).toHaveLength(MAX_QUEUED_SIGN_INS);
      expect(codes.filter((code) => code === 'login_rate_limited')).toHaveLength(100 - MAX_QUEUED_SIGN_INS);
      expect(most).toBe(1);
      expect((await logInAtOnce(email, PASSWORD, '192.0.2.250')).code).toBeNull();
    });

    it('sign-ins from a blocked IP address do not use up the queue of an email', async () => {
      const { email } = await world.signUp();
      const blocked = '198.51.100.30';
      await fail(
        10,
        () => blocked,
        () => email,
      );
      const flood = Array.from({ length: MAX_QUEUED_SIGN_INS }, () => logInAtOnce(email, 'wrong', blocked));
      const user = logInAtOnce(email, PASSWORD, '198.51.100.31');
      expect(new Set((await Promise.all(flood)).map(({ code }) => code))).toEqual(
        new Set(['login_rate_limited']),
      );
      expect((await user).code).toBeNull();
    });

    it('after 50 failures, an IP address or IPv6 /64 is locked out for all emails', async () => {
      const { email } = await world.signUp();
      await fail(49, (index) => `2001:db8:1:1::${index.toString(16)}`, anyone);
      expect(await failFrom(anyone(50), '2001:db8:1:1:8000::')).toMatchObject({ status: 401 });
      expect(await logInBy(email, PASSWORD, '2001:db8:1:1:ffff::1')).toMatchObject({ status: 429 });
      expect(await logInBy(email, PASSWORD, '2001:db8:1:2::1')).toMatchObject({ status: 200 });
    });

    it('after 200 failures from any of its networks, an IPv6 /48 is locked out', async () => {
      const { email } = await world.signUp();
      await fail(199, (index) => `2001:db8:2:${index.toString(16)}::1`, anyone);
      expect(await failFrom(anyone(200), '2001:db8:2:8000::')).toMatchObject({ status: 401 });
      expect(await logInBy(email, PASSWORD, '2001:db8:2:ffff::1')).toMatchObject({ status: 429 });
      expect(await logInBy(email, PASSWORD, '2001:db8:3::1')).toMatchObject({ status: 200 });
    });

    it('delay sign-ins after 10 failures from any IP addresses, and lock out unknown devices after 100', async () => {
      const { email } = await world.signUp();
      const cookie = await signInOnDevice(email);
      await fail(
        10,
        (index) => `192.0.2.${index}`,
        () => email,
      );
      expect(await logInAtOnce(email, PASSWORD, '192.0.2.99')).toEqual({ code: null, waits: [1000] });
      await fail(
        89,
        (index) => `203.0.113.${index}`,
        () => email,
      );
      expect((await logInAtOnce(email, 'wrong', '198.51.100.97')).code).toBe('invalid_login');
      expect(await logInBy(email, PASSWORD, '198.51.100.98')).toMatchObject({ status: 429 });

      const flood = runConcurrently(100, (index) => failFrom(email, `198.18.0.${index}`));
      const owner = await runConcurrently(5, () => logInBy(email, PASSWORD, '203.0.113.1', cookie));
      expect(countStatuses(owner)).toEqual({ 200: 5 });
      expect(countStatuses(await flood)).toEqual({ 429: 100 });
    });

    it('all sign-ins without an IP address share a limit of 500 failures; known devices are exempt', async () => {
      const other = await openWorld(open);
      const { email } = await other.signUp();
      const attempt = (password: string, cookie = '') =>
        other.call('POST', LOGIN, { body: { email, password }, ip: null, cookie });
      const cookie = cookieOf(await attempt(PASSWORD));
      await fail(499, () => null, anyone, other);
      expect(await attempt('wrong')).toMatchObject({ status: 401 });
      expect(await attempt(PASSWORD)).toMatchObject({ status: 429 });
      expect(await attempt(PASSWORD, cookie)).toMatchObject({ status: 200 });
      await other.close();
    });

    it('failures no longer count after the user has signed in from the same IP address', async () => {
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
      expect(await world.call('POST', LOGIN, { body: { password: 'x' } })).toMatchObject({
        status: 400,
        body: { error: 'email is required', code: 'invalid_field' },
      });
      expect(await world.call('POST', LOGIN, { body: { email: 'a@shop.test' } })).toMatchObject({
        status: 400,
        body: { error: 'password is required' },
      });
    });

    it('do not block a password change in a session, because password changes have their own limit', async () => {
      const { email, token } = await world.signUp();
      await fail(
        100,
        (index) => `203.0.113.${index}`,
        () => email,
      );
      const change = (password: string) =>
        world.call('POST', '/api/auth/password', {
          token,
          body: { password, new_password: 'another password' },
          ip: '203.0.113.1',
        });
      expect(countStatuses(await runConcurrently(9, () => change('wrong')))).toEqual({ 401: 9 });
      expect(await change(PASSWORD)).toMatchObject({ status: 200 });
      const later = await logInBy(email, 'another password', '198.51.100.97');
      expect(later.status).toBe(429);
    });
  });

  describe('a known device', () => {
    it('gets a cookie that scripts cannot read and other sites do not send', async () => {
      const { email } = await world.signUp();
      const { headers } = await logInBy(email, PASSWORD, '198.51.100.10');
      expect(headers['set-cookie']).toMatch(
        /^affkit_device=[\w-]+\.\d+\.[\w-]+; Path=\/api\/auth; Max-Age=7776000; HttpOnly; SameSite=Strict; Secure$/,
      );
      expect((await failFrom(email, '198.51.100.10')).headers['set-cookie']).toBeUndefined();
    });

    it.each([
      ['cross-site', false],
      ['same-origin', true],
    ])('can be replaced by a sign-in whose Sec-Fetch-Site is %s: %s', async (fetchSite, isReplaced) => {
      const { email } = await world.signUp();
      const body = { email, password: PASSWORD };
      const reply = await world.call('POST', LOGIN, { body, ip: '198.51.100.32', fetchSite });
      expect(reply.status).toBe(200);
      expect('set-cookie' in reply.headers).toBe(isReplaced);
    });

    it('a known device has its own limit of 10 failed sign-ins', async () => {
      const { email } = await world.signUp();
      const cookie = await signInOnDevice(email);
      const replies = await runConcurrently(20, (index) => failFrom(email, `203.0.113.${index}`, cookie));
      expect(countStatuses(replies)).toEqual({ 401: 10, 429: 10 });
      expect(await logInBy(email, PASSWORD, '198.51.100.11', cookie)).toMatchObject({ status: 429 });
      expect(await logInBy(email, PASSWORD, '198.51.100.11')).toMatchObject({ status: 200 });
    });

    it.each<[string, (cookie: string) => string]>([
      ['changed', forge],
      ['with another time', (cookie) => cookie.replace(/\.\d+\./, '.9999999999999.')],
      ['without a signature', (cookie) => cookie.replace(/\.[\w-]+$/, '.')],
      ['empty', () => 'affkit_device='],
    ])('is not recognized by a cookie that is %s', async (_, change) => {
      const { email } = await world.signUp();
      const cookie = change(await signInOnDevice(email));
      await fail(
        10,
        () => '198.51.100.12',
        () => email,
      );
      expect(await logInBy(email, PASSWORD, '198.51.100.12', cookie)).toMatchObject({ status: 429 });
      world.clock.now += 15 * MINUTE;
    });

    it('a device is known only for its user, for 90 days, and until the password changes', async () => {
      const [ann, ben] = [await world.signUp(), await world.signUp()];
      const cookie = await signInOnDevice(ann.email);
      const isKnown = async (email: string, password: string, given = cookie) => {
        const ip = '198.51.100.13';
        await fail(
          10,
          () => ip,
          () => email,
        );
        const { status } = await logInBy(email, password, ip, `a=b; affkit_device=forged; ${given}`);
        world.clock.now += 15 * MINUTE;
        return status === 200;
      };
      expect(await isKnown(ben.email, PASSWORD)).toBe(false);
      expect(await isKnown(ann.email, PASSWORD)).toBe(true);
      world.clock.now += 90 * 24 * 60 * MINUTE;
      expect(await isKnown(ann.email, PASSWORD)).toBe(false);

      const renewed = await logInBy(ann.email, PASSWORD, '198.51.100.14');
      const renewedCookie = cookieOf(renewed);
      const changed = await world.call('POST', '/api/auth/password', {
        token: renewed.body.token,
        body: { password: PASSWORD, new_password: 'another password' },
      });
      expect(await isKnown(ann.email, 'another password', renewedCookie)).toBe(false);
      expect(await isKnown(ann.email, 'another password', cookieOf(changed))).toBe(true);
    });
  });
}
