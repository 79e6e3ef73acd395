import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { SALE } from '../../test/client.ts';
import { fakeServer } from '../../test/fake-server.ts';
import { manualClock } from '../../test/manual-clock.ts';
import { saleOf, startSpool } from '../../test/spool-client.ts';
import { until } from '../../test/until.ts';

/** Starts two clients that share a folder. The first client delivers. */
async function startTwoClients() {
  const dir = makeTempFolder();
  const server = fakeServer();
  const clock = manualClock();
  const first = startSpool(dir, server, {}, { runtime: clock });
  await until(() => first.affkit.stats()?.isDelivering === true);
  const second = startSpool(dir, server, {}, { runtime: clock });
  return { server, clock, first, second };
}

describe('processes that share a folder', () => {
  test('two processes deliver each event once, and one takes over when the other closes', async () => {
    const { server, clock, first, second } = await startTwoClients();
    await second.affkit.sale(saleOf('a'));
    await first.affkit.refund({ transaction_id: 'a' });
    await until(
      () => server.recorded.length === 2,
      () => clock.advance(100),
    );
    expect(server.log).toEqual(['sale a 200', 'refund a 200']);
    expect(second.affkit.stats()?.isDelivering).toBe(false);
    await second.affkit.sale(saleOf('b'));
    await first.affkit.close();
    await until(
      () => second.affkit.stats()?.isDelivering === true,
      () => clock.advance(100),
    );
    await until(
      () => server.recorded.length === 3,
      () => clock.advance(100),
    );
    await second.affkit.flush();
    expect(server.log.slice(2)).toEqual(['sale b 200']);
    expect(second.affkit.stats()).toMatchObject({ queued: 0, isDelivering: true });
  });

  test('a process replaces a dead one after leaseMs, even if the time of the lock is in the future', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    await files.mkdir(dir, { recursive: true });
    // A lock file of a dead process, with a modification time in the future.
    await files.writeFile(join(dir, 'lock'), '');
    await files.utimes(join(dir, 'lock'), 4e9, 4e9);
    const { affkit, clock } = startSpool(dir, server);
    await affkit.sale(SALE);
    const startedAtMs = clock.now();
    await until(
      () => server.recorded.length === 1,
      () => clock.advance(50),
    );
    expect(clock.now() - startedAtMs).toBeGreaterThan(9_000);
  });

  test('a process does not take over from a live process', async () => {
    const { clock, first, second } = await startTwoClients();
    let steps = 0;
    await until(
      () => steps > 3_000,
      () => {
        steps += 1;
        // Between two advances of the clock, both processes have time to scan the folder.
        if (steps % 30 === 0) clock.advance(1000);
      },
    );
    expect([first.affkit.stats()?.isDelivering, second.affkit.stats()?.isDelivering]).toEqual([true, false]);
  });
});
