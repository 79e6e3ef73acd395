import { Affkit } from '../src/affkit.ts';
import { fileSpool } from '../src/spool/index.ts';

/** Spools `count` sales at the same time and waits for their delivery: `burst-process.ts <dir> <baseUrl> <count>`. */
const [dir = '', baseUrl = '', count = ''] = process.argv.slice(2);
const affkit = new Affkit({
  token: 'aff_token',
  baseUrl,
  logLevel: 'off',
  spool: fileSpool({ dir, flushMs: 100_000 }),
});
const sales = Array.from({ length: Number(count) }, (_, index) =>
  affkit.sale({ transaction_id: `order-${index}`, amount_cents: 100, customer_key: `user-${index}` }),
);
const results = await Promise.allSettled(sales);
await affkit.flush();
await affkit.close();
const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => String(reason));
console.log(JSON.stringify({ queued: results.length - failures.length, failure: failures[0] }));
