import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { makeWorld, type Reply, type World } from '../support/world.ts';

/** A database that another connection can lock, so that all writes wait. */
export interface LockableDatabase {
  readonly engine: Engine;
  /** Locks the database. @returns a function that unlocks it */
  lock(): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

/**
 * The initial concurrency limit. It does not change here: the clock of these tests does not advance, so the
 * throughput cannot be measured.
 */
const LIMIT = 2000;
const EXCESS = 250;
const SALES = 100;

export function overloadContract(kind: string, open: () => Promise<LockableDatabase>): void {
  describe(`above the concurrency limit, on ${kind}`, () => {
    let database: LockableDatabase;
    let world: World;
    const warnings: unknown[] = [];
    const log = (fields: object, message: string) => void warnings.push([message, fields]);

    beforeEach(async () => {
      database = await open();
      warnings.length = 0;
      world = await makeWorld(database.engine, {}, { logger: { info: log, warn: log, error: log } });
    });

    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
      await database.remove();
    });

    const count = async (table: 'click_events' | 'sales') => {
      const { rows } = await world.engine.read
        .selectFrom(table)
        .select((select) => select.fn.countAll<number>().as('rows'))
        .executeTakeFirstOrThrow();
      return rows;
    };
    const click = () =>
      world.call('POST', '/api/v1/track/click', { affiliate_url: 'https://shop.example/?aff=anna' });
    const statuses = (replies: readonly Reply[]) => [...new Set(replies.map(({ status }) => status))];

    test('rejects excess requests while the database is locked, and stores all others once', async () => {
      const click_id = await world.click('anna');
      const unlock = await database.lock();
      let settledCount = 0;
      const send = (call: () => Promise<Reply>) =>
        Array.from({ length: LIMIT + EXCESS }, () =>
          call().finally(() => {
            settledCount += 1;
          }),
        );
      const clicked = send(click);
      // Clicks have a separate limit, which does not affect these requests.
      let sent = 0;
      const tracked = send(() => {
        sent += 1;
        if (sent > SALES) return world.track('lead', { click_id });
        return world.track('sale', { transaction_id: `t${sent}`, amount_cents: 1000, click_id });
      });
      const rejected = await Promise.all([...clicked.slice(LIMIT), ...tracked.slice(LIMIT)]);
      expect(settledCount).toBe(2 * EXCESS);
      for (const { status, body, headers } of rejected) {
        expect([status, body['code'], headers['retry-after'], headers['x-should-retry']]).toEqual([
          503,
          'unavailable',
          '1',
          'true',
        ]);
      }
      const message = `answered 503: ${LIMIT} requests are already in flight`;
      expect(warnings).toEqual([[message, { err: expect.any(Error), requests: 1 }]]);

      await unlock();
      expect(statuses(await Promise.all(clicked.slice(0, LIMIT)))).toEqual([200]);
      const replies = await Promise.all(tracked.slice(0, LIMIT));
      expect(statuses(replies.slice(0, SALES))).toEqual([200]);
      // The customer has already bought, so the leads are rejected.
      expect(statuses(replies.slice(SALES))).toEqual([400]);
      expect([await count('click_events'), await count('sales')]).toEqual([1 + LIMIT, SALES]);
      expect((await click()).status).toBe(200);
      expect(
        (await world.track('sale', { transaction_id: 'later', amount_cents: 1000, click_id })).status,
      ).toBe(200);
    });
  });
}
