import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { auditBooks } from '../support/books.ts';
import { makeWorld, type Reply, type World } from '../support/world.ts';

/** A database that somebody else can lock, so that every write waits. */
export interface LockableDatabase {
  readonly engine: Engine;
  /** @returns what unlocks it */
  lock(): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

/** Taken on while the pace of the clock that stands still can't be measured. */
const PLACES = 2000;
const SURPLUS = 250;
const SALES = 100;

/** What a service does with more than it can take on, whatever the database. */
export function overloadContract(kind: string, open: () => Promise<LockableDatabase>): void {
  describe(`beyond capacity, on ${kind}`, () => {
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
      expect(await auditBooks(world.engine)).toEqual([]);
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

    test('the surplus is refused while the database stands still, and all others are stored once', async () => {
      const click_id = await world.click('anna');
      const unlock = await database.lock();
      let answered = 0;
      const send = (call: () => Promise<Reply>) =>
        Array.from({ length: PLACES + SURPLUS }, () =>
          call().finally(() => {
            answered += 1;
          }),
        );
      const clicked = send(click);
      // Clicks keep none of these out.
      let sent = 0;
      const tracked = send(() => {
        sent += 1;
        if (sent > SALES) return world.track('lead', { click_id });
        return world.track('sale', { transaction_id: `t${sent}`, amount_cents: 1000, click_id });
      });
      const refused = await Promise.all([...clicked.slice(PLACES), ...tracked.slice(PLACES)]);
      expect(answered).toBe(2 * SURPLUS);
      for (const { status, body, headers } of refused) {
        expect([status, body['code'], headers['retry-after'], headers['x-should-retry']]).toEqual([
          503,
          'unavailable',
          '1',
          'true',
        ]);
      }
      const message = `answered 503: ${PLACES} requests are already in flight`;
      expect(warnings).toEqual([[message, { err: expect.any(Error), requests: 1 }]]);

      await unlock();
      expect(statuses(await Promise.all(clicked.slice(0, PLACES)))).toEqual([200]);
      const replies = await Promise.all(tracked.slice(0, PLACES));
      expect(statuses(replies.slice(0, SALES))).toEqual([200]);
      // Who has bought becomes no lead any more.
      expect(statuses(replies.slice(SALES))).toEqual([400]);
      expect([await count('click_events'), await count('sales')]).toEqual([1 + PLACES, SALES]);
      expect((await click()).status).toBe(200);
      expect(
        (await world.track('sale', { transaction_id: 'later', amount_cents: 1000, click_id })).status,
      ).toBe(200);
    });
  });
}
