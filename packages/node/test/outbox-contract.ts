import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Dialect, type Query, sqlOutbox } from '../src/outbox/index.ts';
import { makeClient, rejectionOf, SALE } from './client.ts';
import { fakeServer } from './fake-server.ts';
import { manualClock } from './manual-clock.ts';
import { duplicateSale, RECORDED } from './replies.ts';

/** A separate database for one test. */
export interface OutboxDatabase {
  readonly query: Query;
  /** Runs statements in one transaction. Rolls back if `work` throws. */
  transaction(work: (query: Query) => Promise<void>): Promise<void>;
}

/** Tests the guarantees of an outbox on a database. */
export function outboxContract(dialect: Dialect, open: () => Promise<OutboxDatabase>): void {
  async function begin() {
    const database = await open();
    const clock = manualClock();
    const outbox = sqlOutbox({ dialect, runtime: clock });
    await database.query(outbox.schema, []);
    await database.query(outbox.schema, []);
    const server = fakeServer();
    const { affkit } = makeClient({ transport: server.transport, maxRetries: 0, runtime: clock });
    const rows = () => database.query('select operation, refusal from affkit_outbox order by id', []);
    const relay = () => outbox.relay(affkit, database.query);
    return { ...database, clock, outbox, server, rows, relay };
  }

  const done = { refused: 0, waiting: 0, heldUpBy: undefined };

  test('stores an event only if its transaction commits, and sends it with the time of the insert', async () => {
    const { transaction, outbox, server, rows, relay, clock } = await begin();
    await transaction((query) => outbox.sale(query, SALE));
    const failed = transaction(async (query) => {
      await outbox.refund(query, { transaction_id: 'order-1' });
      throw new Error('The order was not stored');
    });
    expect(await rejectionOf(failed)).toMatchObject({ message: 'The order was not stored' });
    expect(await rows()).toHaveLength(1);
    clock.advance(3_600_000);
    expect(await relay()).toEqual({ ...done, delivered: 1 });
    expect(server.recorded).toEqual([
      { ...SALE, occurred_at: '2026-03-01T12:00:00.000Z', age_ms: 3_600_000 },
    ]);
    expect([await rows(), await relay()]).toEqual([[], { ...done, delivered: 0 }]);
  });

  test('rejects an invalid event before the insert', async () => {
    const { query, outbox, rows } = await begin();
    expect(await rejectionOf(outbox.sale(query, { ...SALE, amount_cents: 0.5 }))).toMatchObject({
      name: 'AffkitValidationError',
    });
    expect(await rows()).toEqual([]);
  });

  test('rejects an event that is too long to be sent with its age', async () => {
    const { query, outbox, server, relay, clock } = await begin();
    const lead = { click_id: 'clk_1', page_url: 'x'.repeat(65_300) };
    for (;;) {
      const longer = { ...lead, page_url: `${lead.page_url}x` };
      const isAccepted = await outbox
        .lead(() => [], longer)
        .then(
          () => true,
          () => false,
        );
      if (!isAccepted) break;
      Object.assign(lead, longer);
    }
    await outbox.lead(query, lead);
    clock.advance(80 * 86_400_000);
    expect(await relay()).toEqual({ ...done, delivered: 1 });
    expect(server.bodies).toEqual([expect.stringContaining('"age_ms":6912000000')]);
    expect(server.bodies[0]?.length).toBeLessThanOrEqual(64 * 1024);
  });

  test('sends many sales and refunds in order', async () => {
    const { query, outbox, server, relay } = await begin();
    const ids = Array.from({ length: 120 }, (_, index) => `order-${index}`);
    for (const transaction_id of ids) {
      await outbox.sale(query, { ...SALE, transaction_id });
      await outbox.refund(query, { transaction_id });
    }
    expect(await relay()).toEqual({ ...done, delivered: 240 });
    expect(server.log).toEqual(ids.flatMap((id) => [`sale ${id} 200`, `refund ${id} 200`]));
  });

  test('sends a sale before its refund if the refund names the payment by one of processor_refs', async () => {
    const { query, outbox, server, relay } = await begin();
    await outbox.sale(query, { ...SALE, transaction_id: 'in_1', processor_refs: ['pi_1'] });
    await outbox.refund(query, { transaction_id: 'pi_1', refund_id: 're_1', refund_amount_cents: 50 });
    server.fault = (operation) => (operation === 'sale' ? [500, { code: 'internal_error' }] : undefined);
    expect(await relay()).toEqual({ ...done, delivered: 0, waiting: 2 });
    // Affkit finds a recorded sale by each id of its payment.
    server.fault = (operation) => (operation === 'refund' ? [200, RECORDED.refund] : undefined);
    expect(await relay()).toEqual({ ...done, delivered: 2 });
    expect(server.log.slice(-2)).toEqual(['sale in_1 200', 'refund pi_1 200']);
  });

  test('stops at a 503, and the next call sends the remaining events', async () => {
    const { query, outbox, server, relay } = await begin();
    for (const id of ['a', 'b', 'c']) await outbox.sale(query, { ...SALE, transaction_id: id });
    server.fault = (_operation, event) =>
      event['transaction_id'] === 'b' ? [503, { code: 'unavailable' }] : undefined;
    expect(await relay()).toMatchObject({ delivered: 1, waiting: 2, heldUpBy: { status: 503 } });
    expect(server.log).toEqual(['sale a 200', 'sale b 503']);
    server.fault = () => undefined;
    expect(await relay()).toEqual({ ...done, delivered: 2 });
  });

  test('keeps rows that a proxy refuses, sends the others, and stops after 20 proxy replies in a row', async () => {
    const { query, outbox, server, relay, rows } = await begin();
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const id of ids) {
      await outbox.sale(query, { ...SALE, transaction_id: id, customer_key: id });
      await outbox.refund(query, { transaction_id: id });
    }
    const blocked = new Set<unknown>(['a', 'b']);
    server.fault = (_operation, event) => (blocked.has(event['transaction_id']) ? [413, {}] : undefined);
    const heldUpBy = { name: 'AffkitUnexpectedReplyError', status: 413 };
    expect(await relay()).toMatchObject({ delivered: 10, refused: 0, waiting: 4, heldUpBy });
    for (let count = 0; count < 60; count += 1) {
      const sale = { ...SALE, transaction_id: `later-${count}`, customer_key: `later-${count}` };
      await outbox.sale(query, sale);
    }
    server.fault = () => [200, {}];
    const requests = server.log.length;
    expect(await relay()).toMatchObject({ delivered: 0, refused: 0, heldUpBy: { status: 200 } });
    // When the 20th reply arrives, further requests are already in flight.
    const sent = server.log.length - requests;
    expect(sent).toBeGreaterThanOrEqual(20);
    expect(sent).toBeLessThan(20 + 32);
    expect(await rows()).toHaveLength(64);
    server.fault = () => undefined;
    expect(await relay()).toEqual({ ...done, delivered: 64 });
  });

  test('does not stop after 20 unexpected replies if Affkit rejected other events between them', async () => {
    const { query, outbox, server, relay } = await begin();
    const ids = Array.from({ length: 120 }, (_, index) => `order-${index}`);
    for (const id of ids) await outbox.sale(query, { ...SALE, transaction_id: id, customer_key: id });
    const blocked = new Set<unknown>(ids.filter((_, index) => index % 2 === 0));
    server.fault = (_operation, event) =>
      blocked.has(event['transaction_id'])
        ? [413, {}]
        : [400, { error: 'currency is not valid', code: 'invalid_field' }];
    const heldUpBy = { name: 'AffkitUnexpectedReplyError', status: 413 };
    expect(await relay()).toMatchObject({ delivered: 0, refused: 60, waiting: 60, heldUpBy });
    server.fault = () => undefined;
    expect(await relay()).toEqual({ ...done, delivered: 60 });
  });

  test('stores the reason for a rejection, does not resend the rejected event, and sends the others', async () => {
    const { query, outbox, server, rows, relay } = await begin();
    await outbox.lead(query, { click_id: 'clk_1', customer_key: 'user-1' });
    await outbox.sale(query, SALE);
    server.fault = (operation) =>
      operation === 'lead' ? [400, { error: 'Unknown click', code: 'click_not_found' }] : undefined;
    expect(await relay()).toEqual({ ...done, delivered: 1, refused: 1 });
    expect(await rows()).toEqual([{ operation: 'lead', refusal: expect.stringContaining('Unknown click') }]);
    expect(await relay()).toEqual({ ...done, delivered: 0 });
  });

  test('keeps a sale that was not recorded because another program uses its transaction_id', async () => {
    const { query, outbox, server, rows, relay } = await begin();
    await outbox.sale(query, { ...SALE, transaction_id: 'taken' });
    await outbox.sale(query, { ...SALE, transaction_id: 'free' });
    server.fault = (_operation, event) =>
      event['transaction_id'] === 'taken' ? [409, duplicateSale('transaction_id_taken')] : undefined;
    expect(await relay()).toEqual({ ...done, delivered: 1, refused: 1 });
    const refusal = expect.stringContaining('belongs to another program');
    expect(await rows()).toEqual([{ operation: 'sale', refusal }]);
    expect(await relay()).toEqual({ ...done, delivered: 0 });
  });

  test('if the server answers an event with 500, only later events that share a key with it wait', async () => {
    const { query, outbox, server, relay } = await begin();
    await outbox.sale(query, { ...SALE, transaction_id: 'bad', customer_key: 'x' });
    await outbox.refund(query, { transaction_id: 'bad' });
    await outbox.sale(query, { ...SALE, transaction_id: 'good', customer_key: 'y' });
    server.fault = (operation, event) =>
      operation === 'sale' && event['transaction_id'] === 'bad'
        ? [500, { code: 'internal_error' }]
        : undefined;
    expect(await relay()).toEqual({ ...done, delivered: 1, waiting: 2 });
    server.fault = () => undefined;
    expect(await relay()).toEqual({ ...done, delivered: 2 });
    expect(server.log).toEqual(['sale bad 500', 'sale good 200', 'sale bad 200', 'refund bad 200']);
  });

  test('sends an event again without its time if the server rejects the time', async () => {
    const { query, outbox, server, relay } = await begin();
    await outbox.sale(query, SALE);
    await outbox.sale(query, { ...SALE, transaction_id: 'given', occurred_at: '2026-03-01T13:00:00Z' });
    const error = 'occurred_at must be at most 5 minutes in the future';
    server.fault = (_operation, event) =>
      'occurred_at' in event ? [400, { error, code: 'invalid_field' }] : undefined;
    expect(await relay()).toEqual({ ...done, delivered: 2 });
    expect(server.recorded).toEqual([
      { ...SALE, age_ms: 0 },
      { ...SALE, transaction_id: 'given', age_ms: 0 },
    ]);
  });

  test('deletes the row of an event whose customer has no partner', async () => {
    const { query, outbox, server, relay, rows } = await begin();
    await outbox.sale(query, SALE);
    server.fault = () => [400, { error: 'Not found', code: 'sale_customer_not_found' }];
    expect(await relay()).toEqual({ ...done, delivered: 1 });
    expect(await rows()).toEqual([]);
  });

  test('keeps a sale without a partner while the lead of its customer fails', async () => {
    const { query, outbox, server, relay } = await begin();
    await outbox.lead(query, { click_id: 'clk_1', customer_key: 'user-1' });
    await outbox.sale(query, { ...SALE, customer_key: 'user-1' });
    await outbox.refund(query, { transaction_id: SALE.transaction_id });
    server.fault = (operation) =>
      operation === 'lead'
        ? [500, { code: 'internal_error' }]
        : [400, { error: 'Not found', code: 'sale_customer_not_found' }];
    expect(await relay()).toEqual({ ...done, delivered: 0, waiting: 3 });
    server.fault = () => undefined;
    expect(await relay()).toEqual({ ...done, delivered: 3 });
  });

  test('keeps an unattributed sale while the lead of its customer fails, even with throwOnUnattributed', async () => {
    const { query, outbox, server, rows } = await begin();
    const strict = { transport: server.transport, maxRetries: 0, throwOnUnattributed: true };
    const relay = () => outbox.relay(makeClient(strict).affkit, query);
    await outbox.lead(query, { click_id: 'clk_1', customer_key: 'user-1' });
    await outbox.sale(query, { ...SALE, customer_key: 'user-1' });
    await outbox.sale(query, { ...SALE, transaction_id: 'other', customer_key: 'user-2' });
    server.fault = (operation) =>
      operation === 'lead'
        ? [500, { code: 'internal_error' }]
        : [400, { error: 'Not found', code: 'sale_customer_not_found' }];
    expect(await relay()).toEqual({ ...done, delivered: 0, refused: 1, waiting: 2 });
    server.fault = () => undefined;
    expect(await relay()).toEqual({ ...done, delivered: 2 });
    expect(await rows()).toMatchObject([{ operation: 'sale', refusal: expect.stringContaining('400') }]);
  });

  test('sends several events concurrently, but a refund only after the reply to its sale', async () => {
    const { query, outbox } = await begin();
    const ids = Array.from({ length: 700 }, (_, index) => `order-${index}`);
    for (const transaction_id of ids) {
      await outbox.sale(query, { ...SALE, transaction_id, customer_key: `key-${transaction_id}` });
      if (transaction_id.endsWith('7')) await outbox.refund(query, { transaction_id });
    }
    const answered = new Set<unknown>();
    const early: unknown[] = [];
    let [running, most] = [0, 0];
    const { affkit } = makeClient({
      maxRetries: 0,
      transport: async ({ url, body }) => {
        const { transaction_id: id } = JSON.parse(body) as { transaction_id: string };
        if (url.endsWith('/refund') && !answered.has(id)) early.push(id);
        running += 1;
        most = Math.max(most, running);
        await setImmediate();
        running -= 1;
        answered.add(id);
        return Response.json(url.endsWith('/refund') ? RECORDED.refund : RECORDED.sale);
      },
    });
    expect(await outbox.relay(affkit, query)).toEqual({ ...done, delivered: 770 });
    expect([early, most]).toEqual([[], 32]);
  });

  test('marks a row that is not an event as rejected and sends the others', async () => {
    const { query, outbox, server, rows, relay } = await begin();
    for (const [operation, body] of [
      ['sale', '{"transaction_id'],
      ['sale', 'null'],
      ['gift', '{}'],
      ['sale', '{"transaction_id":"a"}'],
    ]) {
      await query(`insert into affkit_outbox (operation, body) values ('${operation}', '${body}')`, []);
    }
    await outbox.sale(query, SALE);
    expect(await relay()).toEqual({ ...done, delivered: 1, refused: 4 });
    expect(server.log).toEqual(['sale order-1 200']);
    const refusal = expect.stringContaining('not contain a valid event');
    expect(await rows()).toMatchObject([
      { refusal },
      { refusal },
      { refusal },
      { refusal: expect.stringContaining('amount_cents is required') },
    ]);
  });

  test('two concurrent calls of relay record each event once, and no refund before its sale', async () => {
    const { query, outbox, server, relay, rows } = await begin();
    for (const transaction_id of ['a', 'b', 'c', 'd']) {
      await outbox.sale(query, { ...SALE, transaction_id });
      await outbox.refund(query, { transaction_id });
    }
    await Promise.all([relay(), relay()]);
    expect([server.recorded.length, await rows()]).toEqual([8, []]);
    expect(server.log.filter((line) => line.endsWith(' 404'))).toEqual([]);
  });
}
