import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';

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
      const { body } = await world.call(
        'GET',
        `${world.path}/payouts.csv?q=ann&sort=amount_cents&order=asc`,
        undefined,
        world.credential,
      );
      const ids = String(body)
        .split('\r\n')
        .slice(1, -1)
        .map((line) => Number(line.split(',')[0]));
      expect(ids).toEqual([a, c]);
    });
  });
}
