import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { signInOwner } from '../support/world.ts';

type Row = Readonly<Record<string, unknown>>;

export function rowsContract(kind: string, open: OpenEngine): void {
  describe(`single rows on ${kind}`, () => {
    let world: PayoutWorld;
    let clickId: string;

    beforeAll(async () => {
      world = await openPayoutWorld(open);
      clickId = await world.click('anna');
      await world.track('lead', { click_id: clickId, customer_key: 'u1', email: 'jane@shop.example' });
      await world.track('sale', { transaction_id: 't1', amount_cents: 5000, customer_key: 'u1' });
      await world.payOut();
      world.clock.now += 1000;
      await world.click('ben');
    });
    afterAll(() => world.affkit.close());

    const list = async (path: string) => (await world.ask('GET', path)).body['data'] as Row[];

    test.each(['partners', 'links', 'commissions', 'payouts', 'customers'])(
      'a row of %s has the fields that it has in the list',
      async (path) => {
        const rows = await list(`/${path}`);
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) {
          expect(await world.ask('GET', `/${path}/${row['id']}`)).toMatchObject({
            status: 200,
            body: { success: true, data: row },
          });
        }
        for (const id of ['999999', 'x', '0']) {
          expect(await world.ask('GET', `/${path}/${id}`)).toMatchObject({
            status: 404,
            body: { code: 'not_found' },
          });
        }
      },
    );

    test('lists customers, newest first, with a masked email address', async () => {
      const [newest, oldest] = await list('/customers');
      expect(newest).toMatchObject({
        customer_status: 'click',
        customer_key: null,
        email: null,
        partner_id: world.ben.partnerId,
        partner_name: 'ben',
      });
      expect(oldest).toMatchObject({
        click_id: clickId,
        customer_status: 'conversion',
        customer_key: 'u1',
        customer_key_state: 'verified',
        email: 'j***@shop.example',
        partner_id: world.anna.partnerId,
        partner_name: 'anna',
      });
      expect((await world.ask('GET', '/customers?pageSize=1&page=2')).body).toMatchObject({
        data: [{ click_id: clickId }],
        meta: { pagination: { page: 2, pageSize: 1, pageCount: 2, total: 2 } },
      });
    });

    test('a commission names its partner', async () => {
      expect(await list('/commissions')).toMatchObject([{ partner_name: 'anna', transaction_id: 't1' }]);
    });

    test('events name the partner and the link', async () => {
      const path = `/api/tracking/events/${world.program.id}`;
      const { body } = await world.call('GET', path, undefined, await signInOwner(world));
      const links = await list('/links');
      const linkOf = (code: string) => links.find((link) => link['short_link'] === code)?.['id'];
      const anna = { partner_id: world.anna.partnerId, link_id: linkOf('anna') };
      expect(body['data']).toHaveLength(4);
      expect(body['data']).toMatchObject([
        { event_type: 'click', partner_id: world.ben.partnerId, link_id: linkOf('ben') },
        { event_type: 'lead', ...anna },
        { event_type: 'conversion', ...anna },
        { event_type: 'click', ...anna },
      ]);
    });
  });
}
