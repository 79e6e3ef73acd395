import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { addProgram } from '../support/world.ts';

export function payoutListContract(kind: string, open: OpenEngine): void {
  describe(`the list of payouts on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
    });
    afterEach(() => auditAndClose(world));
    const list = async (query: string) => {
      const { data } = (await world.ask('GET', `/payouts?${query}`)).body as { data: { id: number }[] };
      return data.map(({ id }) => id);
    };
    const exported = async (query: string, rows = 'payouts') => {
      const path = `${world.path}/${rows}.csv?${query}`;
      const { body } = await world.call('GET', path, undefined, world.credential);
      const lines = String(body).split('\r\n').slice(1, -1);
      return lines.map((line) => Number(line.split(',')[0]));
    };

    test('starts with the newest payout, and has filters and pages', async () => {
      for (const code of ['anna', 'ben', 'anna']) {
        await world.sell(`t-${code}-${Math.random()}`, 1000, { code });
        await world.payOut();
      }
      const [third = 0, second = 0, first = 0] = await list('');
      expect(first < second && second < third).toBe(true);
      await world.end(second, 'mark-paid');
      expect(await list('status=paid')).toEqual([second]);
      expect(await list('status=pending')).toEqual([third, first]);
      expect(await list(`partner_id=${world.ben.partnerId}`)).toEqual([second]);
      expect(await list('pageSize=1&page=3')).toEqual([first]);
      expect(await world.ask('GET', '/payouts?status=open')).toMatchObject(
        errorResponse(400, 'status must be one of pending, paid, cancelled', 'invalid_field'),
      );
    });

    test('the amounts of a partner include a payout, both while it is pending and when it is paid', async () => {
      const amounts = async () =>
        ((await world.ask('GET', `/partners/${world.anna.partnerId}`)).body['data'] as { amounts: unknown })
          .amounts;
      const nothing = {
        currency: 'USD',
        pending_cents: 0,
        on_hold_cents: 0,
        in_payout_cents: 0,
        to_deduct_cents: 0,
        paid_cents: 0,
      };
      await world.sell('t1', 1000);
      expect(await amounts()).toEqual([nothing]);
      const [payout] = await world.payOut();
      expect(await amounts()).toEqual([{ ...nothing, in_payout_cents: 200 }]);
      await world.end(payout?.id ?? 0, 'mark-paid');
      expect(await amounts()).toEqual([{ ...nothing, paid_cents: 200 }]);
      await world.ask('PUT', '', { hold_days: 30 });
      await world.sell('held', 5000);
      expect(await amounts()).toEqual([{ ...nothing, on_hold_cents: 1000, paid_cents: 200 }]);
    });

    test('the list can be limited to payouts that were created in a time range', async () => {
      const times: string[] = [];
      for (const index of [0, 1, 2]) {
        await world.sell(`t-${index}`, 1000);
        await world.payOut();
        times.push(new Date(world.clock.now).toISOString());
        world.clock.now += DAY;
      }
      const [first = '', second = '', third = ''] = times;
      const [a = 0, b = 0, c = 0] = await list('order=asc');
      const before = (time: string) => new Date(Date.parse(time) - 1).toISOString();
      for (const [query, ids] of [
        [`dateFrom=${second}`, [c, b]],
        [`dateTo=${second}`, [b, a]],
        [`dateTo=${before(second)}`, [a]],
        [`dateFrom=${second}&dateTo=${second}`, [b]],
        [`dateFrom=${second.slice(0, 10)}&dateTo=${second.slice(0, 10)}`, [b]],
        [`dateFrom=${first}&dateTo=${third}&status=paid`, []],
        [`dateFrom=${second}&q=ann&sort=amount_cents&order=asc`, [b, c]],
        [`dateFrom=${second}&pageSize=1&page=2`, [b]],
        [`dateTo=${before(first)}`, []],
      ] as const) {
        expect([query, await list(query)]).toEqual([query, ids]);
        if (!query.includes('page')) expect([query, await exported(query)]).toEqual([query, ids]);
      }
      const { body } = await world.ask('GET', `/payouts?dateFrom=${second}&pageSize=1`);
      expect(body).toMatchObject({ meta: { pagination: { total: 2 } } });
      for (const path of ['/payouts', '/payouts.csv']) {
        expect(await world.ask('GET', `${path}?dateFrom=${second}&dateTo=${first}`)).toMatchObject(
          errorResponse(400, 'dateFrom must not be after dateTo', 'invalid_field'),
        );
      }
    });

    test('the commissions of a payout can be listed and filtered by the id of the payout', async () => {
      const first = await world.sell('t-1', 1000);
      const second = await world.sell('t-2', 2000);
      const bens = await world.sell('t-3', 3000, { code: 'ben' });
      const payouts = await world.payOut();
      const later = await world.sell('t-4', 4000);
      const idOf = (partnerId: number) => payouts.find((row) => row.partner_id === partnerId)?.id ?? 0;
      const anna = idOf(world.anna.partnerId);
      const commissions = async (query: string) => {
        const { data, meta } = (await world.ask('GET', `/commissions?${query}`)).body as {
          data: { id: number }[];
          meta: { pagination: { total: number } };
        };
        expect([query, meta.pagination.total]).toEqual([query, data.length]);
        return data.map(({ id }) => id);
      };
      for (const [query, ids] of [
        ['', [later, bens, second, first]],
        [`payout_id=${anna}`, [second, first]],
        [`payout_id=${anna}&order=asc`, [first, second]],
        [`payout_id=${anna}&sort=amount_cents&order=asc`, [first, second]],
        [`payout_id=${anna}&status=approved`, [second, first]],
        [`payout_id=${anna}&status=paid`, []],
        [`payout_id=${anna}&q=T-2`, [second]],
        [`payout_id=${anna}&partner_id=${world.ben.partnerId}`, []],
        [`payout_id=${anna}&dateTo=${new Date(world.clock.now - DAY).toISOString()}`, []],
        [`payout_id=${anna}&needs_approval=1`, []],
        [`payout_id=${idOf(world.ben.partnerId)}`, [bens]],
        ['payout_id=', [later, bens, second, first]],
        ['payout_id=987654321', []],
      ] as const) {
        expect([query, await commissions(query)]).toEqual([query, ids]);
        expect([query, await exported(query, 'commissions')]).toEqual([query, ids]);
      }
      const totals = async (query: string) => (await world.ask('GET', `/commissions/totals?${query}`)).body;
      expect(await totals(`payout_id=${anna}`)).toMatchObject({
        data: [{ status: 'approved', currency: 'USD', count: 2, amount_cents: 600 }],
      });
      expect(await totals('payout_id=987654321')).toEqual({ success: true, data: [] });
      for (const path of ['/commissions', '/commissions/totals', '/commissions.csv']) {
        expect(await world.ask('GET', `${path}?payout_id=x`)).toMatchObject(
          errorResponse(400, 'payout_id must be a positive integer', 'invalid_field'),
        );
      }
    });

    test('treats a payout of another program like an unknown one', async () => {
      const { program } = await addProgram(world, world.workspaceId, 'cora');
      const path = `/api/advertiser/affiliate-programs/${program.id}`;
      await world.sell('t-1', 1000);
      const [payout] = await world.payOut();
      const ask = (route: string) => world.call('GET', `${path}${route}`, undefined, world.credential);
      for (const route of ['/commissions', '/commissions/totals', '/commissions.csv']) {
        const [ofOther, unknown] = [
          await ask(`${route}?payout_id=${payout?.id}`),
          await ask(`${route}?payout_id=987654321`),
        ];
        expect(ofOther.status).toBe(200);
        expect([route, ofOther.body]).toEqual([route, unknown.body]);
      }
    });

    test('is searched by partner and reference, and sorted by partner, amount and payment', async () => {
      for (const [index, code] of ['anna', 'ben', 'anna'].entries()) {
        await world.sell(`t-${index}`, [2000, 1000, 3000][index] ?? 0, { code });
        await world.payOut();
      }
      const [a = 0, b = 0, c = 0] = await list('order=asc');
      await world.end(b, 'mark-paid', { reference: 'Sepa-7%' });
      await world.end(a, 'cancel');
      for (const [query, ids] of [
        ['q=ANN', [c, a]],
        ['q=ben%40partner', [b]],
        ['q=sepa-7%25', [b]],
        ['q=_', []],
        ['q=ann&status=pending', [c]],
        ['sort=amount_cents', [c, a, b]],
        ['sort=amount_cents&order=asc&pageSize=1&page=2', [a]],
        ['sort=partner_name&order=asc', [a, c, b]],
        ['sort=paid_at', [b, c, a]],
        ['sort=paid_at&order=asc', [a, c, b]],
      ] as const) {
        expect([query, await list(query)]).toEqual([query, ids]);
      }
      expect(await exported('q=ann&sort=amount_cents&order=asc')).toEqual([a, c]);
    });
  });
}
