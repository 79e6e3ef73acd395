import { expect, test, vi } from 'vitest';
import { hashPassword, isPassword } from './password.ts';

const threads = vi.hoisted(() => ({ busy: 0, most: 0 }));

// Replaces the library to count how many threads it uses at the same time.
vi.mock('@node-rs/argon2', () => {
  const work = async <T>(result: T): Promise<T> => {
    threads.busy += 1;
    threads.most = Math.max(threads.most, threads.busy);
    await new Promise((resolve) => setImmediate(resolve));
    threads.busy -= 1;
    return result;
  };
  return { hash: () => work('hashed'), verify: (stored: string) => work(stored === 'hashed') };
});

test('hashes at most two passwords at the same time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 ? hashPassword('secret') : isPassword('hashed', 'secret'),
    ),
  );
  expect(new Set(answers)).toEqual(new Set(['hashed', true]));
  expect(threads).toEqual({ busy: 0, most: 2 });
});
