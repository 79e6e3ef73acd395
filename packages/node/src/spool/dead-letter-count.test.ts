import { expect, test } from 'vitest';
import { DeadLetterCount } from './dead-letter-count.ts';

test('what is moved there counts at once, and once, whatever a listing under way shows', async () => {
  const shown = Promise.withResolvers<string[]>();
  const count = new DeadLetterCount({ listDead: () => shown.promise });
  count.noteAdded('taken away since');
  expect(count.value).toBe(1);
  const look = count.refresh();
  count.noteAdded('missed');
  count.noteAdded('shown');
  shown.resolve(['shown', 'of another process', 'noted late']);
  await look;
  count.noteAdded('noted late');
  expect(count.value).toBe(4);
});
