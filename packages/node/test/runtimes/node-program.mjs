import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Affkit, Webhooks } from '@affkit/node';
import { fileSpool } from '@affkit/node/spool';

const dir = mkdtempSync(join(tmpdir(), 'affkit-spool-'));
let sent = 0;
const fetch = async () => {
  sent += 1;
  return Response.json({ success: true, sale_id: 1, commission_id: 2, message: 'Sale tracked' });
};
const options = { token: 'aff_token', baseUrl: 'https://affkit.test', logLevel: 'off' };
const affkit = new Affkit({ ...options, fetch, spool: fileSpool({ dir }) });
const { status } = await affkit.sale({ transaction_id: 'a', amount_cents: 1, customer_key: 'user-1' });
await affkit.flush();
const { queued, dead } = await affkit.stats();
await affkit.close();
rmSync(dir, { recursive: true });
const webhooks = new Webhooks({ secret: 'whsec_of_the_test' });
const verified = webhooks.verify('{}', webhooks.sign('{}'));
console.log(JSON.stringify({ status, sent, queued, dead, verified }));
