import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Affkit } from '@affkit/node';
import { AffkitManagement } from '@affkit/node/management';
import { createTestAffkit } from '@affkit/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../packages/core/test/support/make-temp-folder.ts';
import { payPartners } from './pay-partners.ts';

test('approves, pays, and exports small commissions only once, even if the script runs twice', async () => {
  const server = await createTestAffkit({ program: { hold_days: 30 } });
  onTestFinished(() => server.close());
  const folder = makeTempFolder();
  const { baseUrl, token, programId, fetch } = server;

  const partner = await server.partner({ name: 'Anna' });
  const affkit = new Affkit({ token, baseUrl, fetch });
  await affkit.lead({ click_id: await partner.click(), customer_key: 'user-1' });
  for (const [index, amount_cents] of [20_000, 10_000, 90_000].entries()) {
    await affkit.sale({ transaction_id: `order-${index}`, amount_cents, customer_key: 'user-1' });
  }

  const client = new AffkitManagement({ apiKey: await server.createApiKey(), baseUrl, programId, fetch });
  const file = join(folder, 'payouts.csv');
  expect(await payPartners(client, file)).toMatchObject([{ partner_name: 'Anna', amount_cents: 6_000 }]);
  expect(readFileSync(file, 'utf8').split('\r\n')[1]).toContain(',Anna,');
  expect(await payPartners(client, file)).toEqual([]);
  expect(await client.commissions.totals()).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ status: 'approved', count: 2 }),
      expect.objectContaining({ status: 'pending', count: 1 }),
    ]),
  );
});
