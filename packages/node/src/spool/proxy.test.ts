import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { fakeServer } from '../../test/fake-server.ts';
import { FOREIGN_REPLIES } from '../../test/replies.ts';
import { saleOf, startSpool } from '../../test/spool-client.ts';
import { filesIn } from '../../test/spool-folder.ts';
import { until } from '../../test/until.ts';
import type { Transport } from '../transport.ts';

const FOREIGN = fc.constantFrom(...FOREIGN_REPLIES);

test('no event is lost while a proxy randomly drops requests, answers them itself, or replaces replies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.tuple(fc.nat(3), FOREIGN)), async (faults) => {
      const dir = makeTempFolder();
      const server = fakeServer();
      const proxied: Transport = async (request) => {
        const [where, [status, body, contentType]] = faults.next().value;
        if (where === 0) return server.transport(request);
        if (where === 1) throw new Error('socket hang up');
        // The server records the event, but the proxy replaces its reply.
        if (where === 2) await server.transport(request);
        const headers = { 'content-type': contentType };
        return new Response(status === 204 ? null : body, { status, headers });
      };
      const { affkit, clock, dead } = startSpool(dir, server, {}, { transport: proxied });
      const ids = Array.from({ length: 40 }, (_, index) => `order-${index}`);
      for (const id of ids) {
        await affkit.sale(saleOf(id));
        await affkit.refund({ transaction_id: id });
      }
      await until(
        () => affkit.stats()?.queued === 0,
        () => clock.advance(1000),
      );
      const recorded = (operation: string) =>
        server.log.filter((line) => line.startsWith(operation) && line.endsWith(' 200')).length;
      expect(new Set(server.recorded.map((event) => event['transaction_id']))).toEqual(new Set(ids));
      expect([server.recorded.length, recorded('sale')]).toEqual([80, 40]);
      expect([dead, filesIn(dir, 'dead'), filesIn(dir, 'ready')]).toEqual([[], [], []]);
      await affkit.close();
    }),
    { numRuns: 5 },
  );
});
