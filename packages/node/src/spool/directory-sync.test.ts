import { expect, test } from 'vitest';
import { Backlog } from './backlog.ts';
import { DirectorySync } from './directory-sync.ts';
import { EntryNamer } from './entry.ts';

const namer = new EntryNamer();
const body = '{"transaction_id":"a"}';
const sale = namer.next({ operation: 'sale', body }, 1_000);
const refund = namer.next({ operation: 'refund', body }, 1_000);
const other = namer.next({ operation: 'sale', body: '{"transaction_id":"b"}' }, 1_000);

/** Creates a `DirectorySync`. Its folder returns the `listings` one after the other, then repeats the last. */
function syncOver(...listings: string[][]) {
  const backlog = new Backlog();
  let count = 0;
  const list = async () => listings[Math.min(count++, listings.length - 1)] ?? [];
  const directory = { list, remove: async () => {} };
  return { backlog, directorySync: new DirectorySync(directory, backlog, namer) };
}

test('a refund waits for the next sync if a listing contains it without its older sale', async () => {
  const { backlog, directorySync } = syncOver([refund], [refund, sale]);
  expect(await directorySync.sync()).toEqual({ gone: [], needsConfirmation: true });
  expect(backlog.take()).toBeUndefined();
  expect(await directorySync.sync()).toEqual({ gone: [], needsConfirmation: false });
  expect(backlog.take()?.name).toBe(sale);
  expect(backlog.take()).toBeUndefined();
});

test('an entry that is only in the second listing of a sync waits for the next sync', async () => {
  const { backlog, directorySync } = syncOver([other], [other, refund], [other, refund, sale]);
  await directorySync.sync();
  expect([backlog.take()?.name, backlog.take()]).toEqual([other, undefined]);
  await directorySync.sync();
  expect(backlog.take()?.name).toBe(sale);
});

test('gone contains the entries that another process has removed, except those in flight', async () => {
  const { backlog, directorySync } = syncOver([sale, refund, other], [sale, refund, other], []);
  await directorySync.sync();
  expect(backlog.take()?.name).toBe(sale);
  expect((await directorySync.sync()).gone.toSorted()).toEqual([refund, other].toSorted());
});

test('does not add an entry that left the folder during the sync', async () => {
  const { backlog, directorySync } = syncOver([sale]);
  const syncing = directorySync.sync();
  directorySync.noteSettled(sale);
  await syncing;
  expect(backlog.size).toBe(0);
});
