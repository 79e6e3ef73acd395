import { writeSync } from 'node:fs';
import { Affkit } from '../src/affkit.ts';
import { fileSpool } from '../src/spool/index.ts';

/**
 * Spools sales and refunds until it is killed, and prints a line for each stored event:
 * `spool-process.ts <dir> <baseUrl> <prefix> [token]`.
 */
const [dir = '', baseUrl = '', prefix = '', token = 'aff_token'] = process.argv.slice(2);
const affkit = new Affkit({
  token,
  baseUrl,
  maxRetries: 0,
  logLevel: 'off',
  spool: fileSpool({ dir, pollMs: 20, leaseMs: 200 }),
});

for (let count = 0; ; count += 1) {
  const id = `${prefix}-${count}`;
  await affkit.sale({ transaction_id: id, amount_cents: 100, customer_key: `user-${count % 7}` });
  writeSync(1, `sale ${id}\n`);
  await affkit.refund({ transaction_id: id });
  writeSync(1, `refund ${id}\n`);
}
