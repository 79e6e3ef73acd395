import { expect, test } from 'vitest';
import { DeadLetterCount } from './dead-letter-count.ts';

test('counts an added event immediately and only once, whether or not a refresh in progress lists it', async () => {
  const listing = Promise.withResolvers<string[]>();
  const count = new DeadLetterCount({ listDead: () => listing.promise });
  count.noteAdded('removed since');
  expect(count.value).toBe(1);
  const refreshing = count.refresh();
  count.noteAdded('missed');
  count.noteAdded('listed');
  listing.resolve(['listed', 'of another process', 'added after the refresh']);
  await refreshing;
  count.noteAdded('added after the refresh');
  expect(count.value).toBe(4);
});
