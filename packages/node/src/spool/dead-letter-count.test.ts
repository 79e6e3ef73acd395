import { expect, test } from 'vitest';
import { DeadLetterCount } from './dead-letter-count.ts';

test('counts an added event immediately and once, whether or not a listing in progress contains it', async () => {
  const shown = Promise.withResolvers<string[]>();
  const count = new DeadLetterCount({ listDead: () => shown.promise });
  count.noteAdded('taken away since');
  expect(count.value).toBe(1);
  const refreshing = count.refresh();
  count.noteAdded('missed');
  count.noteAdded('shown');
  shown.resolve(['shown', 'of another process', 'noted late']);
  await refreshing;
  count.noteAdded('noted late');
  expect(count.value).toBe(4);
});
