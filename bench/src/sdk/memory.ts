import { createSaleSenders, sendSales, type TransportName } from './sale-senders.ts';

/** Memory of a process in bytes after garbage collection, before and after the calls. */
export interface MemoryUse {
  readonly rssBefore: number;
  readonly rssAfter: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
}

/** Runs in a separate process: `node --expose-gc memory.ts fetch|undici bare|sdk <baseUrl> <calls>`. */
const [transport = 'fetch', sender = 'sdk', baseUrl = '', calls = '100000'] = process.argv.slice(2);
const senders = await createSaleSenders(transport as TransportName, baseUrl);
const send = sender === 'bare' ? senders.bare : senders.sdk;
// Warm up: open connections, fill caches and compile code before the measurement.
await sendSales(send, 10_000);
const before = await memoryAfterGc();
await sendSales(send, Number(calls));
const after = await memoryAfterGc();
const use: MemoryUse = {
  rssBefore: before.rss,
  rssAfter: after.rss,
  heapBefore: before.heapUsed,
  heapAfter: after.heapUsed,
};
process.stdout.write(JSON.stringify(use));
process.exit();

async function memoryAfterGc(): Promise<NodeJS.MemoryUsage> {
  if (globalThis.gc === undefined) throw new Error('Run this script with node --expose-gc');
  // Collect several times. Finalizers run between the collections, and may release further objects.
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage();
}
