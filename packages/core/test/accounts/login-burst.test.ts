import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logIn } from '../../src/access/login.ts';
import { hashPassword, isPassword } from '../../src/access/password.ts';
import { newSqliteKinds } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  type World,
} from '../support/management-world.ts';
import { API_CLIENT } from '../support/users.ts';

vi.mock('../../src/access/password.ts', { spy: true });

const PROGRAMS = '/api/advertiser/affiliate-programs';
const MEMBERS = '/api/advertiser/members';
const MORE_THAN_ANY_LIMIT = 10_001;

let world: World;
beforeEach(async () => {
  const [open] = Object.values(newSqliteKinds);
  if (!open) throw new Error('There is no SQLite engine kind');
  world = await openWorld(open);
});
afterEach(async () => {
  vi.mocked(isPassword).mockReset();
  vi.mocked(hashPassword).mockReset();
  await world.close();
});

const attemptLogins = (count: number, email: (index: number) => string, password: string) => {
  vi.mocked(isPassword).mockClear();
  return runConcurrently(count, (index) =>
    world.call('POST', '/api/auth/login', { body: { email: email(index), password } }),
  );
};

test('hashes the password in only 10 concurrent failed sign-ins per email, and in only 50 per IP address', async () => {
  const { email } = await world.signUp();
  expect(countStatuses(await attemptLogins(200, () => email, 'wrong'))).toEqual({ 401: 10, 429: 190 });
  expect(isPassword).toHaveBeenCalledTimes(10);
  const guesses = await attemptLogins(200, (index) => `guess-${index}@shop.test`, 'wrong');
  expect(countStatuses(guesses)).toEqual({ 401: 40, 429: 160 });
  expect(isPassword).toHaveBeenCalledTimes(40);
});

test('hashes at most 32 of 100 concurrent guesses for one email from 100 IP addresses, and at most 100 of 1,000 guesses', async () => {
  const { email } = await world.signUp();
  vi.mocked(isPassword).mockReset().mockResolvedValue(false);
  for (let round = 0; round < 10; round++) {
    await runConcurrently(100, (index) => {
      const input = { email, password: 'wrong', ip: `192.0.${round}.${index}` };
      return logIn(world.affkit.runtime, { ...input, client: API_CLIENT }, async () => {});
    });
    expect(isPassword).toHaveBeenCalledTimes(Math.min((round + 1) * 32, 100));
  }
});

test('accepts all concurrent sign-ins with the right password', async () => {
  const { email } = await world.signUp();
  expect(countStatuses(await attemptLogins(30, () => email, PASSWORD))).toEqual({ 200: 30 });
  const remainingFailures = await world.engine.read.selectFrom('login_failures').select('id').execute();
  expect(remainingFailures).toEqual([]);
});

interface Sender {
  readonly token: string;
  readonly inviteToken: string | undefined;
}

test.each<[string, (index: number, sender: Sender) => [path: string, body: unknown]]>([
  ['sign in', (index) => ['/api/auth/login', { email: `guess-${index}@shop.test`, password: 'wrong' }]],
  [
    'change a password',
    () => ['/api/auth/password', { password: PASSWORD, new_password: 'another password' }],
  ],
  [
    'accept an invitation',
    (_, { inviteToken }) => ['/api/auth/accept-invite', { token: inviteToken, password: PASSWORD }],
  ],
])('handles sales and dashboard reads while any number of users %s', async (_, createRequest) => {
  const { token } = await world.owner();
  const post = async <T>(path: string, body: unknown, by = token) => {
    return await world.call<T>('POST', path, { token: by, body, ip: null });
  };
  const shop = { name: 'Shop', site_url: 'https://shop.test', commission: { type: 'percent', rate: 20 } };
  const program = await post<{ data: { id: number; api_token: string } }>(PROGRAMS, shop);
  const { id, api_token: trackingToken } = program.body.data;
  await post(`${PROGRAMS}/${id}/partners`, { name: 'Anna', email: 'anna@blog.test', code: 'anna' });
  const landing = { affiliate_url: 'https://shop.test/?aff=anna' };
  const click = await post<{ click_id: string }>('/api/v1/track/click', landing, trackingToken);
  const invited = await post<{ data: { invite_token: string } }>(MEMBERS, newMember('mia@shop.test'));
  const sender = { token, inviteToken: invited.body.data.invite_token };

  const hashing = Promise.withResolvers<void>();
  vi.mocked(isPassword).mockImplementation(() => hashing.promise.then(() => false));
  vi.mocked(hashPassword).mockImplementation(() => hashing.promise.then(() => 'hash'));
  const pending = Array.from({ length: MORE_THAN_ANY_LIMIT }, (_, index) => {
    const [path, body] = createRequest(index, sender);
    const isPublic = path.endsWith('login') || path.endsWith('invite');
    return world.call('POST', path, { ...(!isPublic && { token }), body, ip: null });
  });
  expect(await Promise.race(pending)).toMatchObject({ status: 503, body: { code: 'unavailable' } });

  const sale = { transaction_id: 't1', amount_cents: 1000, click_id: click.body.click_id };
  expect(await post('/api/v1/track/sale', sale, trackingToken)).toMatchObject({ status: 200 });
  const read = await world.call('GET', '/api/advertiser/dashboard/summary', { token });
  expect(read).toMatchObject({ status: 200 });
  hashing.resolve();
  await Promise.all(pending);
});

function newMember(email: string) {
  return { email, name: 'Mia', role: 'viewer' };
}
