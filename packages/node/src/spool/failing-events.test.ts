import { describe, expect, test } from 'vitest';
import { SALE } from '../../test/client.ts';
import { fakeServer } from '../../test/fake-server.ts';
import { saleOf, startSpool } from '../../test/spool-client.ts';
import { filesIn, makeFolder } from '../../test/spool-folder.ts';
import { until } from '../../test/until.ts';

describe('a response', () => {
  test.each<readonly [number, object]>([
    [200, {}],
    [404, { nginx: true }],
    [409, { html: true }],
    [413, { error: 'Payload Too Large', statusCode: 413 }],
  ])(
    '%i %j of a proxy loses no event and halts the spool, which reports it once and continues later',
    async (status, body) => {
      const dir = makeFolder();
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

  test.each<readonly [number, object]>([
    [500, { code: 'internal_error' }],
    [400, {}],
    [413, { error: 'Payload Too Large', statusCode: 413 }],
  ])('%i %j to one event delays its refund and no other event', async (status, body) => {
    const dir = makeFolder();
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
    // More failures than the replies in a row that halt the spool.
    for (let round = 0; round < 25; round += 1) {
      await until(
        () => failures() > round && affkit.stats()?.inFlight === 0,
        () => clock.advance(1000),
      );
    }
    // The clock stands still, so no other event waits for the one that fails.
    for (const id of ['good', 'better']) {
      await affkit.sale(saleOf(id));
      await until(() => server.log.at(-1) === `sale ${id} 200` && affkit.stats()?.queued === 2);
    }
    expect(server.log.filter((line) => line.startsWith('refund'))).toEqual([]);
    expect(affkit.stats()).toMatchObject({ queued: 2, dead: 0, isHalted: false });
    expect(halts).toEqual([]);
    isPoison = false;
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(1000),
    );
    expect(server.log.slice(-2)).toEqual(['sale bad 200', 'refund bad 200']);
  });

  test('of a proxy to two events halts the spool until a new event is delivered', async () => {
    const server = fakeServer();
    const blocked = new Set<unknown>(['a', 'b']);
    server.fault = (_operation, event) => (blocked.has(event['transaction_id']) ? [413, {}] : undefined);
    const { affkit, clock } = startSpool(makeFolder(), server);
    const tick = () => clock.advance(1000);
    await affkit.sale(saleOf('a'));
    await affkit.sale(saleOf('b'));
    await until(() => affkit.stats()?.isHalted === true, tick);
    await affkit.sale(saleOf('c'));
    await until(() => affkit.stats()?.queued === 2, tick);
    expect(server.recorded).toMatchObject([{ transaction_id: 'c' }]);
    expect(affkit.stats()).toMatchObject({ isHalted: false, dead: 0 });
  });

  test('of a proxy to a lead loses neither the lead nor its sale, which is sent first', async () => {
    const server = fakeServer();
    let wasSaleSent = false;
    server.fault = (operation) => {
      if (operation === 'lead') return wasSaleSent ? undefined : [413, {}];
      wasSaleSent = true;
      return server.recorded.length > 0
        ? undefined
        : [400, { error: 'Not found', code: 'sale_customer_not_found' }];
    };
    const { affkit, clock, dead, delivered } = startSpool(makeFolder(), server);
    await affkit.lead({ click_id: 'clk_1', customer_key: 'user-1' });
    await affkit.sale(SALE);
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(100),
    );
    expect([dead, delivered]).toEqual([[], ['lead recorded', 'sale recorded']]);
  });

  test('of a proxy to one event is logged as an error once', async () => {
    const server = fakeServer();
    server.fault = () => [413, {}];
    const { affkit, clock, logged } = startSpool(makeFolder(), server);
    await affkit.sale(SALE);
    await until(
      () => server.log.length >= 30,
      () => clock.advance(1000),
    );
    const errors = logged.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ fields: { operation: 'sale', error: expect.stringContaining('413') } }]);
    expect(affkit.stats()).toMatchObject({ isHalted: false, heldUpBy: { status: 413 } });
  });
});
