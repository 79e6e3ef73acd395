import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isPassword } from '../src/access/password.ts';
import { sqliteKinds } from './engine-kinds.ts';
import { atOnce, openWorld, PASSWORD, statuses, type World } from './management-world.ts';

vi.mock('../src/access/password.ts', { spy: true });

let world: World;
beforeEach(async () => {
  const [open] = Object.values(sqliteKinds);
  if (!open) throw new Error('no engine');
  world = await openWorld(open);
});
afterEach(() => world.close());

const tryAtOnce = (count: number, email: (index: number) => string, password: string) => {
  vi.mocked(isPassword).mockClear();
  return atOnce(count, (index) =>
    world.call('POST', '/api/auth/login', { body: { email: email(index), password } }),
  );
};

test('of 200 wrong tries at once 10 are hashed, of those on many e-mails 50', async () => {
  const { email } = await world.signUp();
  expect(statuses(await tryAtOnce(200, () => email, 'wrong'))).toEqual({ 401: 10, 429: 190 });
  expect(isPassword).toHaveBeenCalledTimes(10);
  const others = await tryAtOnce(200, (index) => `guess-${index}@shop.test`, 'wrong');
  expect(statuses(others)).toEqual({ 401: 40, 429: 160 });
  expect(isPassword).toHaveBeenCalledTimes(40);
});

test('right tries are all let in, however many come at once', async () => {
  const { email } = await world.signUp();
  expect(statuses(await tryAtOnce(30, () => email, PASSWORD))).toEqual({ 200: 30 });
  const left = await world.engine.read.selectFrom('login_failures').select('id').execute();
  expect(left).toEqual([]);
});
