import { setTimeout } from 'node:timers/promises';
import { Affkit } from '@affkit/node';
import { Orders } from './outbox-worker.ts';

/** Runs the worker: `node worker.ts <database>`. After SIGTERM, it finishes sending the current events, and exits. */
const [path = 'orders.db'] = process.argv.slice(2);
const everyMs = Number(process.env['EVERY_MS'] ?? 5_000);
const orders = new Orders(path);
const affkit = new Affkit();
const stopped = new AbortController();
process.once('SIGTERM', () => stopped.abort());

while (!stopped.signal.aborted) {
  const { delivered, hasProblem } = await orders.relayEvents(affkit).catch((error: unknown) => {
    // The database failed, for example because another process held its lock. The next round sends the events.
    console.error(error);
    return { delivered: 0, hasProblem: true };
  });
  if (delivered > 0 || hasProblem) console.log(JSON.stringify({ delivered, hasProblem }));
  await setTimeout(everyMs, undefined, { signal: stopped.signal }).catch(() => {});
}
orders.close();
