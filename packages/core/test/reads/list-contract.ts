import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { addLink, enroll, START, signInOwner } from '../support/world.ts';

type Row = Readonly<Record<string, unknown>>;

export function listContract(kind: string, open: OpenEngine): void {
  describe(`lists on ${kind}`, () => {
    let world: PayoutWorld;
    let session: { readonly authorization: string };
    const clickIds: string[] = [];

    beforeAll(async () => {
      world = await openPayoutWorld(open, { hold_days: 30 });
      session = await signInOwner(world);
      await enroll(world.affkit, world.program, 'élodie_100%');
      await addLink(world, world.ben.partnerId, 'Spring-Sale');
      await world.ask('PUT', `/partners/${world.ben.partnerId}`, { status: 'pending' });
      await world.ask('PUT', `/partners/${world.ben.partnerId}`, { status: 'approved' });
      // Sales on three days: the first two belong to Anna, and the last belongs to Ben, in another currency.
      for (const [index, code] of ['anna', 'anna', 'Spring-Sale'].entries()) {
        const click_id = await world.click(code);
        clickIds.push(click_id);
        await world.track('lead', { click_id, customer_key: `User-${index}` });
        await world.track('sale', {
          transaction_id: `Order-${index}`,
          amount_cents: 1000 * (3 - index),
          customer_key: `User-${index}`,
          ...(index === 2 && { currency: 'EUR' }),
        });
        world.clock.now += DAY;
      }
      await world.ask('POST', '/commissions/1/approve');
      await world.refund('Order-1', 1000);
      await world.adjust(1, { amount_cents: 50, reason: 'bonus' });
      world.clock.now = START;
    });
    afterAll(() => world.affkit.close());

    const read = async (path: string) => {
      const { status, body } = await world.ask('GET', path);
      expect([path, status]).toEqual([path, 200]);
      return body as { data: Row[]; meta: { pagination: Row } };
    };
    const column = async (path: string, name: string) => (await read(path)).data.map((row) => row[name]);

    test.each([
      ['q=ANN', ['anna']],
      ['q=BEN%40partner', ['ben']],
      ['q=spring', ['ben']],
      ['q=%C3%89lodie', ['élodie_100%']],
      ['q=0%25', ['élodie_100%']],
      ['q=%25', ['élodie_100%']],
      ['q=_', ['élodie_100%']],
      ['q=%5C', []],
      ['q=nobody', []],
      ['q=', ['élodie_100%', 'ben', 'anna']],
      ['status=pending', []],
      ['sort=name&order=asc', ['anna', 'ben', 'élodie_100%']],
      ['sort=email', ['élodie_100%', 'ben', 'anna']],
      ['sort=clicks', ['anna', 'ben', 'élodie_100%']],
      ['sort=leads&order=asc', ['élodie_100%', 'ben', 'anna']],
      ['sort=conversions&pageSize=1&page=2', ['ben']],
      ['sort=balance_cents', ['anna', 'élodie_100%', 'ben']],
      ['sort=created_at&order=asc&q=n%40', ['ben']],
    ])('the partner list with the query %s returns %j', async (query, names) => {
      expect(await column(`/partners?${query}`, 'name')).toEqual(names);
    });

    test.each([
      ['q=SALE', ['Spring-Sale']],
      ['q=Ben', ['Spring-Sale', 'ben']],
      ['status=inactive', []],
      ['sort=short_link&order=asc', ['anna', 'ben', 'Spring-Sale', 'élodie_100%']],
      ['sort=clicks&pageSize=2', ['anna', 'Spring-Sale']],
      ['sort=last_clicked&pageSize=2', ['Spring-Sale', 'anna']],
    ])('the link list with the query %s returns %j', async (query, codes) => {
      expect(await column(`/links?${query}`, 'short_link')).toEqual(codes);
    });

    test('the pages of a list together contain the whole list, in each sort order', async () => {
      const sorts = {
        '/partners?status=approved': ['clicks', 'leads', 'conversions', 'balance_cents', 'name'],
        '/links?status=active': ['clicks', 'last_clicked', 'short_link'],
      };
      for (const [path, keys] of Object.entries(sorts)) {
        for (const sort of keys.flatMap((key) => [`${path}&sort=${key}`, `${path}&sort=${key}&order=asc`])) {
          const all = (await read(sort)).data;
          const pages: Row[] = [];
          for (let page = 1; page <= all.length + 1; page++) {
            const { data, meta } = await read(`${sort}&pageSize=1&page=${page}`);
            expect([sort, page, meta.pagination['total']]).toEqual([sort, page, all.length]);
            pages.push(...data);
          }
          expect([sort, pages]).toEqual([sort, all]);
        }
      }
    });

    test('links and policies name their partner', async () => {
      expect(await column('/links?q=sale', 'partner_name')).toEqual(['ben']);
      const { status } = await world.ask('POST', '/commission-policies', {
        type: 'percent',
        rate: 25,
        partner_id: world.anna.partnerId,
      });
      expect(status).toBe(201);
      expect(await column('/commission-policies', 'partner_name')).toEqual([null, 'anna']);
    });

    test.each([
      ['q=order-', ['Order-2', 'Order-1', 'Order-0']],
      ['q=ORDER-1', ['Order-1']],
      ['q=rder', []],
      ['q=order-&status=approved', ['Order-0']],
      ['sort=amount_cents', ['Order-2', 'Order-0', 'Order-1']],
      ['sort=amount_cents&order=asc&pageSize=1', ['Order-2']],
      ['order=asc', ['Order-0', 'Order-1', 'Order-2']],
      ['status=pending', ['Order-2']],
    ])('the commission list with the query %s returns %j', async (query, ids) => {
      expect(await column(`/commissions?${query}`, 'transaction_id')).toEqual(ids);
    });

    test('the total counts the commissions that match the filter, even if a range ends within a day', async () => {
      const noon = (day: number) => new Date(START + day * DAY).toISOString();
      for (const [query, total] of [
        ['', 3],
        [`partner_id=${world.anna.partnerId}`, 2],
        [`partner_id=${world.anna.partnerId}&status=refunded`, 1],
        ['dateFrom=2026-06-16', 2],
        [`dateFrom=${noon(0)}&dateTo=${noon(2)}`, 3],
        [`dateFrom=${new Date(START + 1).toISOString()}&dateTo=${noon(2)}`, 2],
        [`dateFrom=${noon(1)}&dateTo=${noon(1)}`, 1],
        [`dateTo=${new Date(START - 1).toISOString()}`, 0],
        ['q=order&pageSize=1', 3],
      ] as const) {
        const { meta } = await read(`/commissions?${query}`);
        expect([query, meta.pagination['total']]).toEqual([query, total]);
      }
    });

    test('the totals of commissions add up by status and currency', async () => {
      const none = { deducted_cents: 0, adjusted_cents: 0 };
      const approved = {
        status: 'approved',
        currency: 'USD',
        count: 1,
        amount_cents: 600,
        ...none,
        adjusted_cents: 50,
      };
      const pending = { status: 'pending', currency: 'EUR', count: 1, amount_cents: 200, ...none };
      const refunded = {
        status: 'refunded',
        currency: 'USD',
        count: 1,
        amount_cents: 400,
        ...none,
        deducted_cents: 200,
      };
      const totals = async (query: string) => (await read(`/commissions/totals?${query}`)).data;
      expect(await totals('')).toEqual([approved, pending, refunded]);
      expect(await totals('status=pending')).toEqual([pending]);
      expect(await totals(`partner_id=${world.anna.partnerId}&dateFrom=2026-06-16`)).toEqual([refunded]);
      expect(await totals('q=Order-2')).toEqual([pending]);
      const { read: db } = world.engine;
      const stored = await db
        .selectFrom('commission_totals')
        .selectAll()
        .where('partner_id', '>', 0)
        .execute();
      const rows = await db.selectFrom('commissions').selectAll().execute();
      expect(stored.filter(({ commissions }) => commissions !== 0)).toHaveLength(rows.length);
    });

    test.each([
      ['q=user-', ['User-2', 'User-1', 'User-0']],
      ['q=USER-1', ['User-1']],
      ['q=ser', []],
    ])('the customer list with the query %s returns %j', async (query, keys) => {
      expect(await column(`/customers?${query}`, 'customer_key')).toEqual(keys);
    });

    test('a customer is found by its click id', async () => {
      expect(await column(`/customers?q=${clickIds[1]}`, 'customer_key')).toEqual(['User-1']);
    });

    const events = async (query: string) => {
      const path = `/api/tracking/events/${world.program.id}?${query}`;
      const { body } = await world.call('GET', path, undefined, session);
      const { data, meta } = body as { data: Row[]; meta: { pagination: Row } };
      return { types: data.map((row) => row['event_type']), total: meta.pagination['total'] };
    };

    test('filters events by partner and link, and searches them', async () => {
      const chain = ['lead', 'conversion', 'click'];
      const links = await read('/links?q=spring');
      const ben = world.ben.partnerId;
      expect(await events('')).toMatchObject({ total: 9 });
      expect(await events(`partner_id=${ben}`)).toEqual({ types: chain, total: 3 });
      expect(await events(`partner_id=${ben}&eventType=lead`)).toEqual({ types: ['lead'], total: 1 });
      expect(await events(`partner_id=${world.anna.partnerId}&dateFrom=2026-06-16`)).toEqual({
        types: chain,
        total: 3,
      });
      const noon = new Date(START + 2 * DAY).toISOString();
      expect(await events(`partner_id=${ben}&dateFrom=${noon}`)).toEqual({ types: chain, total: 3 });
      expect(await events(`link_id=${links.data[0]?.['id']}`)).toEqual({ types: ['click'], total: 1 });
      expect(await events(`link_id=${links.data[0]?.['id']}&eventType=lead`)).toEqual({
        types: [],
        total: 0,
      });
      expect(await events(`q=${clickIds[0]}`)).toEqual({ types: chain, total: 3 });
      expect(await events('q=user-1')).toEqual({ types: chain, total: 3 });
      expect(await events('q=ORDER-2&eventType=click')).toEqual({ types: ['click'], total: 1 });
      expect(await events(`q=order&partner_id=${ben}&pageSize=2&page=2`)).toEqual({
        types: ['click'],
        total: 3,
      });
      expect(await events('q=nothing')).toEqual({ types: [], total: 0 });
      expect(await events(`after=${noon}`)).toEqual({ types: [], total: 0 });
      expect(await events('after=2026-06-16')).toEqual({ types: chain, total: 3 });
      expect(await events(`after=${new Date(START + DAY).toISOString()}`)).toEqual({
        types: chain,
        total: 3,
      });
    });

    test('filters the audit log by actor, action, subject and time', async () => {
      const log = async (query: string) => {
        const { body } = await world.call('GET', `/api/advertiser/audit-log?${query}`, undefined, session);
        return (body['data'] as Row[]).map((row) => row['action']);
      };
      expect(await log('action=partner.update')).toEqual(['partner.update', 'partner.update']);
      expect(await log('actor=OWNER@shop.example')).toEqual(['api_key.create']);
      expect(await log('actor=nobody@shop.example')).toEqual([]);
      expect(await log('subject=commission')).toEqual(['commission.adjust', 'commission.approve']);
      expect(await log('subject=commission:1&action=commission.adjust')).toEqual(['commission.adjust']);
      expect(await log('subject=commission:2')).toEqual([]);
      expect(await log('subject=commission&dateTo=2026-06-15')).toEqual([]);
    });

    test('a link shows the status of its partner', async () => {
      const ben = `/partners/${world.ben.partnerId}`;
      const statuses = () => column('/links?q=sale', 'partner_status');
      expect(await statuses()).toEqual(['approved']);
      await world.ask('PUT', ben, { status: 'banned' });
      expect(await statuses()).toEqual(['banned']);
      await world.ask('PUT', ben, { status: 'approved' });
    });

    test.each([
      ['/partners?q=x'.padEnd(120, 'x'), 'q must be at most 100 characters'],
      ['/partners?q=%00', 'q must not contain NUL or lone surrogates'],
      ['/partners?sort=age', 'sort must be one of created_at, name'],
      ['/links?order=up', 'order must be one of asc, desc'],
      ['/commissions?sort=status', 'sort must be one of commission_date, amount_cents'],
      ['/commissions/totals?page=1', 'Unknown query parameter "page"'],
    ])('rejects %s', async (path, error) => {
      expect(await world.ask('GET', path)).toMatchObject({
        status: 400,
        body: { code: 'invalid_field', error: expect.stringContaining(error) },
      });
    });
  });
}
