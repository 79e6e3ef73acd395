import { expect, test } from 'vitest';
import { DeadLetterCount } from './dead-letter-count.ts';

test('what is moved there counts at once, and once, whatever a listing under way shows', async () => {
  const shown = Promise.withResolvers<string[]>();
  const count = new DeadLetterCount({ listDead: () => shown.promise });
  count.noteBuried('taken away since');
  expect(count.value).toBe(1);
  const look = count.look();
  count.noteBuried('missed');
  count.noteBuried('shown');
  shown.resolve(['shown', 'of another process', 'noted late']);
  await look;
  count.noteBuried('noted late');
  expect(count.value).toBe(4);
});
