import { openSenders, sendSales, type TransportName } from './senders.ts';

/** What a process holds after its garbage was collected, before and after the calls. */
export interface MemoryUse {
  readonly rssBefore: number;
  readonly rssAfter: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
}

/** A process of its own: `node --expose-gc memory.ts fetch|undici bare|sdk <baseUrl> <calls>`. */
const [transport = 'fetch', sender = 'sdk', baseUrl = '', calls = '100000'] = process.argv.slice(2);
const senders = await openSenders(transport as TransportName, baseUrl);
const send = sender === 'bare' ? senders.bare : senders.sdk;
// Connections, caches and compiled code are there before it counts.
await sendSales(send, 10_000);
const before = await settled();
await sendSales(send, Number(calls));
const after = await settled();
const use: MemoryUse = {
  rssBefore: before.rss,
  rssAfter: after.rss,
  heapBefore: before.heapUsed,
  heapAfter: after.heapUsed,
};
process.stdout.write(JSON.stringify(use));
process.exit();

async function settled(): Promise<NodeJS.MemoryUsage> {
  if (globalThis.gc === undefined) throw new Error('Run it with --expose-gc');
  // Finalizers run between collections.
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage();
}
