import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { fakeServer } from '../../test/fake-server.ts';
import { RECORDED } from '../../test/replies.ts';
import { saleOf, startSpool } from '../../test/spool-client.ts';
import { filesIn } from '../../test/spool-folder.ts';
import { until } from '../../test/until.ts';

describe('responses', () => {
  test.each<readonly [number, object]>([
    [200, {}],
    [404, { nginx: true }],
    [409, { html: true }],
    [413, { error: 'Payload Too Large', statusCode: 413 }],
  ])(
    'after replies %i %j of a proxy, the spool halts, reports this once, loses no event, and continues later',
    async (status, body) => {
      const dir = makeTempFolder();
      const server = fakeServer();
      const halts: Error[] = [];
      let isFixed = false;
      server.fault = () => (isFixed ? undefined : [status, body]);
      const onHalted = ({ error }: { error: Error }) => halts.push(error);
      const { affkit, clock, logged, dead } = startSpool(dir, server, { onHalted });
      const ids = ['a', 'b', 'c'];
      for (const id of ids) await affkit.sale(saleOf(id));
      const tick = () => clock.advance(1000);
      await until(() => affkit.stats()?.isHalted === true, tick);
      const before = server.log.length;
      expect(before).toBeGreaterThanOrEqual(20);
      // A halted spool sends one request per minute.
      await until(() => server.log.length >= before + 3, tick);
      expect(halts).toMatchObject([{ name: 'AffkitUnexpectedReplyError', status }]);
      expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
      expect(affkit.stats()).toMatchObject({ queued: 3, dead: 0, heldUpBy: { code: 'unexpected_reply' } });
      expect([filesIn(dir, 'ready').length, filesIn(dir, 'dead'), dead]).toEqual([3, [], []]);
      isFixed = true;
      await until(() => affkit.stats()?.queued === 0, tick);
      expect(server.recorded.map((event) => event['transaction_id']).sort()).toEqual(ids);
      expect(affkit.stats()).toMatchObject({ dead: 0, isHalted: false, heldUpBy: undefined });
    },
  );

  test('a refund that names its payment by one of processor_refs waits for the sale', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    let isPoison = true;
    server.fault = (operation) => {
      if (operation === 'sale') return isPoison ? [500, { code: 'internal_error' }] : undefined;
      // Affkit finds a recorded sale by each id of its payment.
      return server.recorded.length > 0 ? [200, RECORDED.refund] : undefined;
    };
    const { affkit, clock, dead } = startSpool(dir, server);
    // With a key for each id, the file name would be too long.
    const processor_refs = ['pi_1', ...Array.from({ length: 9 }, (_, index) => `ref_${index}`)];
    const click = { click_id: 'clk_1', subscription_id: 'sub_1' };
    await affkit.sale({ ...saleOf('in_1'), ...click, processor_refs });
    await affkit.refund({ transaction_id: 'pi_1', refund_id: 're_1', refund_amount_cents: 50 });
    await until(
      () => server.log.length >= 2,
      () => clock.advance(1000),
    );
    isPoison = false;
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(1000),
    );
    expect([server.log.slice(-2), dead]).toEqual([['sale in_1 200', 'refund pi_1 200'], []]);
  });

  test.each<readonly [number, object]>([
    [500, { code: 'internal_error' }],
    [400, {}],
    [413, { error: 'Payload Too Large', statusCode: 413 }],
  ])('the reply %i %j to a sale delays the refund of this sale and no other event', async (status, body) => {
    const dir = makeTempFolder();
    const server = fakeServer();
    const halts: Error[] = [];
    let isPoison = true;
    server.fault = (_operation, event) =>
      isPoison && event['transaction_id'] === 'bad' ? [status, body] : undefined;
    const onHalted = ({ error }: { error: Error }) => halts.push(error);
    const { affkit, clock } = startSpool(dir, server, { onHalted });
    await affkit.sale(saleOf('bad'));
    await affkit.refund({ transaction_id: 'bad' });
    const failures = () => server.log.filter((line) => line === `sale bad ${status}`).length;
    // 20 unexpected replies in a row halt the spool, so wait for more than 20 failures.
    for (let round = 0; round < 25; round += 1) {
      await until(
        () => failures() > round && affkit.stats()?.inFlight === 0,
        () => clock.advance(1000),
      );
    }
    // The clock stands still, so these events are sent only if they do not wait for the failing event.
    for (const id of ['good', 'better']) {
      await affkit.sale(saleOf(id));
      await until(() => server.log.at(-1) === `sale ${id} 200` && affkit.stats()?.queued === 2);
    }
    expect(server.log.filter((line) => line.startsWith('refund'))).toEqual([]);
    expect(affkit.stats()).toMatchObject({ queued: 2, dead: 0, isHalted: false });
    expect(halts).toHaveLength(status === 500 ? 0 : 1);
    isPoison = false;
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(1000),
    );
    expect(server.log.slice(-2)).toEqual(['sale bad 200', 'refund bad 200']);
  });

  test('if a proxy refuses several events, the spool halts, and later sends a new event first', async () => {
    const server = fakeServer();
    const blocked = new Set<unknown>(['a', 'b', 'c', 'd']);
    server.fault = (_operation, event) => (blocked.has(event['transaction_id']) ? [413, {}] : undefined);
    const { affkit, clock } = startSpool(makeTempFolder(), server, { maxEvents: 5 });
    for (const id of ['a', 'b', 'c', 'd']) await affkit.sale(saleOf(id));
    await until(
      () => affkit.stats()?.isHalted === true && affkit.stats()?.inFlight === 0,
      () => clock.advance(1000),
    );
    const before = server.log.length;
    await affkit.sale(saleOf('new'));
    // A full spool scans its folder before it rejects an event. This scan finds the event `new`.
    await expect(affkit.sale(saleOf('surplus'))).rejects.toThrow('is full');
    await until(
      () => server.recorded.length > 0,
      () => clock.advance(1000),
    );
    expect(server.log[before]).toBe('sale new 200');
    await until(() => affkit.stats()?.isHalted === false);
    expect(affkit.stats()).toMatchObject({ dead: 0 });
  });

  test('if a proxy refuses the only event, the spool halts, but sends a new event immediately', async () => {
    const server = fakeServer();
    const halts: Error[] = [];
    server.fault = (_operation, event) => (event['transaction_id'] === 'bad' ? [403, {}] : undefined);
    const onHalted = ({ error }: { error: Error }) => halts.push(error);
    const { affkit, clock, logged } = startSpool(makeTempFolder(), server, { onHalted });
    await affkit.sale(saleOf('bad'));
    await until(
      () => affkit.stats()?.isHalted === true,
      () => clock.advance(1000),
    );
    expect(server.log).toHaveLength(20);
    expect(halts).toMatchObject([{ name: 'AffkitUnexpectedReplyError', status: 403 }]);
    // Errors are logged for the fifth failure and for the halt.
    expect(logged.filter(({ level }) => level === 'error')).toHaveLength(2);
    // The clock stands still, so the new event is sent only if it does not wait for a backoff.
    await affkit.sale(saleOf('good'));
    await until(() => affkit.stats()?.isHalted === false);
    expect([server.recorded.length, halts.length]).toEqual([1, 1]);
  });
});
