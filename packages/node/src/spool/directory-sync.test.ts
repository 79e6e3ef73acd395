import { expect, test } from 'vitest';
import { Backlog } from './backlog.ts';
import { DirectorySync } from './directory-sync.ts';
import { EntryNamer } from './entry.ts';

const namer = new EntryNamer();
const body = '{"transaction_id":"a"}';
const sale = namer.next({ operation: 'sale', body }, 1_000);
const refund = namer.next({ operation: 'refund', body }, 1_000);
const other = namer.next({ operation: 'sale', body: '{"transaction_id":"b"}' }, 1_000);

/** A lookout over a folder whose listings are these, the last of them for ever. */
function lookoutOver(...listings: string[][]) {
  const backlog = new Backlog();
  let count = 0;
  const list = async () => listings[Math.min(count++, listings.length - 1)] ?? [];
  const directory = { list, listDrafts: async () => [], removeDraft: async () => {} };
  return { backlog, lookout: new DirectorySync(directory, backlog, namer) };
}

test('a refund that a listing shows without its older sale waits for that sale', async () => {
  const { backlog, lookout } = lookoutOver([refund], [refund, sale]);
  expect(await lookout.sync()).toEqual({ gone: [], isUnsure: true });
  expect(backlog.take()).toBeUndefined();
  expect(await lookout.sync()).toEqual({ gone: [], isUnsure: false });
  expect(backlog.take()?.name).toBe(sale);
  expect(backlog.take()).toBeUndefined();
});

test('what only the second listing shows waits for the next look', async () => {
  const { backlog, lookout } = lookoutOver([other], [other, refund], [other, refund, sale]);
  await lookout.sync();
  expect([backlog.take()?.name, backlog.take()]).toEqual([other, undefined]);
  await lookout.sync();
  expect(backlog.take()?.name).toBe(sale);
});

test('what another process has dealt with is gone, but not what is being sent', async () => {
  const { backlog, lookout } = lookoutOver([sale, refund, other], [sale, refund, other], []);
  await lookout.sync();
  expect(backlog.take()?.name).toBe(sale);
  expect((await lookout.sync()).gone.toSorted()).toEqual([refund, other].toSorted());
});

test('what was dealt with during the look is not taken for new', async () => {
  const { backlog, lookout } = lookoutOver([sale]);
  const look = lookout.sync();
  lookout.noteSettled(sale);
  await look;
  expect(backlog.size).toBe(0);
});
