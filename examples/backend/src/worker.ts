import { setTimeout } from 'node:timers/promises';
import { Affkit } from '@affkit/node';
import { Orders } from './outbox-worker.ts';

/** The worker as a process: `node worker.ts <database>`. SIGTERM ends it after the round under way. */
const [path = 'orders.db'] = process.argv.slice(2);
const everyMs = Number(process.env['EVERY_MS'] ?? 5_000);
const orders = new Orders(path);
const affkit = new Affkit();
const stopped = new AbortController();
process.once('SIGTERM', () => stopped.abort());

while (!stopped.signal.aborted) {
  const { delivered, isTrouble } = await orders.report(affkit);
  if (delivered > 0 || isTrouble) console.log(JSON.stringify({ delivered, isTrouble }));
  await setTimeout(everyMs, undefined, { signal: stopped.signal }).catch(() => {});
}
orders.close();
