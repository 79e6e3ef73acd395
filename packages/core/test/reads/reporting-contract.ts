import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { makeWorld, START, signInOwner, type World } from '../support/world.ts';

const DAY = 86_400_000;

export function reportingContract(kind: string, open: OpenEngine): void {
  describe(`event list on ${kind}`, () => {
    let world: World;
    let session: Record<string, string>;
    beforeEach(async () => {
      world = await makeWorld(await open());
      session = await signInOwner(world);
    });
    afterEach(() => world.affkit.close());
    const events = (query = '') =>
      world.call('GET', `/api/tracking/events/${world.program.id}${query}`, undefined, session);

    test('merges clicks, leads and sales, newest first, without test events', async () => {
      const click = await world.click('anna', { page_url: 'https://shop.example/' });
      await world.call('POST', '/api/v1/track/click', {
        affiliate_url: 'https://shop.example/?aff=anna',
        additional_data: { test_mode: true },
      });
      world.clock.now += 1000;
      await world.track('lead', { click_id: click, customer_key: 'u1' });
      await world.track('sale', { transaction_id: 't1', amount_cents: 1999, customer_key: 'u1' });
      expect((await events()).body).toEqual({
        data: [
          {
            id: expect.any(Number),
            event_type: 'lead',
            timestamp: new Date(START + 1000).toISOString(),
            createdAt: new Date(START + 1000).toISOString(),
            click_id: click,
            customer_key: 'u1',
            session_id: null,
            page_url: null,
            partner_id: world.anna.partnerId,
            link_id: 1,
            converted: true,
          },
          {
            id: expect.any(Number),
            event_type: 'conversion',
            timestamp: new Date(START + 1000).toISOString(),
            createdAt: new Date(START + 1000).toISOString(),
            click_id: click,
            amount_cents: 1999,
            currency: 'USD',
            sale_type: 'payment',
            payment_status: 'paid',
            processor_event_id: 't1',
            is_recurring: false,
            no_commission_reason: null,
            partner_id: world.anna.partnerId,
            link_id: 1,
          },
          expect.objectContaining({
            event_type: 'click',
            page_url: 'https://shop.example/',
            converted: true,
          }),
        ],
        meta: { pagination: { page: 1, pageSize: 10, pageCount: 1, total: 3 }, clicks_complete_from: null },
      });
    });

    test('supports filters and pages', async () => {
      for (let day = 0; day < 3; day++) {
        await world.click('anna');
        world.clock.now += DAY;
      }
      // Sets the clock back, because at the advanced time the session has expired.
      world.clock.now = START;
      const second = await events('?page=2&pageSize=2&eventType=click');
      expect(second.body).toMatchObject({
        data: [{ timestamp: new Date(START).toISOString() }],
        meta: { pagination: { page: 2, pageSize: 2, pageCount: 2, total: 3 } },
      });
      const date = new Date(START + DAY).toISOString().slice(0, 10);
      expect((await events(`?dateFrom=${date}&dateTo=${date}`)).body).toMatchObject({
        data: [{ timestamp: new Date(START + DAY).toISOString() }],
      });
      // A time without a zone is UTC.
      const noon = new Date(START + DAY).toISOString().slice(0, 19);
      for (const bound of [noon, `${noon}.000`, `${noon}+0000`, `${noon.slice(0, 16)}Z`]) {
        const encodedBound = encodeURIComponent(bound);
        expect((await events(`?dateFrom=${encodedBound}&dateTo=${encodedBound}`)).body).toMatchObject({
          data: [{ timestamp: new Date(START + DAY).toISOString() }],
        });
      }
      expect((await events('?eventType=lead')).body).toMatchObject({
        data: [],
        meta: { pagination: { total: 0, pageCount: 0 } },
      });
    });

    test.each([
      '?page=0',
      '?pageSize=x',
      '?eventType=refund',
      '?dateFrom=2026-02-30',
      '?dateFrom=2026-02-02&dateTo=2026-02-01',
    ])('returns 400 for %s', async (query) => {
      expect(await events(query)).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
    });

    test('requires a session and an existing program', async () => {
      const token = { authorization: `Bearer ${world.token}` };
      const path = `/api/tracking/events/${world.program.id}`;
      expect((await world.call('GET', path)).status).toBe(401);
      expect((await world.call('GET', path, undefined, token)).status).toBe(401);
      expect((await world.call('GET', '/api/tracking/events/999', undefined, session)).status).toBe(404);
      expect((await world.call('GET', '/api/tracking/events/x', undefined, session)).status).toBe(404);
    });
  });
}
