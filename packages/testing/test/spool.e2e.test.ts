import { Affkit } from '@affkit/node';
import { fileSpool } from '@affkit/node/spool';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { killWhileSpooling } from '../../node/test/kill-while-spooling.ts';
import { createTestAffkit } from '../src/index.ts';
import { serveTestAffkit } from './serve-test-affkit.ts';

test('events that a process acknowledged before it was killed are recorded and refunded once, despite lost responses', async () => {
  const dir = makeTempFolder();
  const server = await createTestAffkit();
  onTestFinished(() => server.close());
  const baseUrl = await serveTestAffkit(server);
  const { token } = server;
  const partner = await server.partner();
  const direct = new Affkit({ token, baseUrl, logLevel: 'off' });
  for (let count = 0; count < 7; count += 1) {
    await direct.lead({ click_id: await partner.click(), customer_key: `user-${count}` });
  }

  const acknowledged: string[] = [];
  for (const round of [1, 2]) {
    server.faults.add({ kind: 'lost_reply' }, 15);
    server.faults.add({ kind: 'unreachable' }, 15);
    const runs = ['a', 'b'].map((name) => killWhileSpooling(41, [dir, baseUrl, `${name}${round}`, token]));
    acknowledged.push(...(await Promise.all(runs)).flat());
  }
  server.faults.clear();
  const spool = fileSpool({ dir, pollMs: 20, leaseMs: 200, flushMs: 60_000 });
  const last = new Affkit({ token, baseUrl, logLevel: 'off', spool });
  await last.flush();
  expect(last.stats()).toMatchObject({ queued: 0, dead: 0 });
  await last.close();

  const commissions = await server.commissions();
  const ids = commissions.map(({ transaction_id: id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const sales = acknowledged.filter((line) => line.startsWith('sale ')).map((line) => line.slice(5));
  expect(sales.filter((id) => !ids.includes(id))).toEqual([]);
  const refunded = new Set(
    acknowledged.filter((line) => line.startsWith('refund ')).map((line) => line.slice(7)),
  );
  const unrefunded = commissions.filter(
    ({ transaction_id: id, status }) => refunded.has(id) && status !== 'reversed',
  );
  expect(unrefunded).toEqual([]);
  const open = commissions.filter(({ status }) => status !== 'reversed');
  expect(await partner.balanceCents()).toBe(open.reduce((sum, { amount_cents: cents }) => sum + cents, 0));
});
