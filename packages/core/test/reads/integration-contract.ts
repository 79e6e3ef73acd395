import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { postgresKysely } from '../../src/storage/database/engine/postgres-dialect.ts';
import { sqliteKysely } from '../../src/storage/database/engine/sqlite-dialect.ts';
import { listKnownTransactions } from '../../src/storage/tracking/sales.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import { addProgram, makeWorld, START, signInOwner, type World } from '../support/world.ts';

const HOUR = 3_600_000;
const PROGRAMS = '/api/advertiser/affiliate-programs';

export function integrationContract(kind: string, open: OpenEngine): void {
  describe(`integration on ${kind}`, () => {
    let world: World;
    let session: { authorization: string };
    beforeEach(async () => {
      world = await makeWorld(await open(), { hold_days: 30 });
      session = await signInOwner(world);
    });
    afterEach(() => world.affkit.close());
    const withToken = (method: string, path: string, body?: unknown, token = world.token) =>
      world.call(method, path, body, { authorization: `Bearer ${token}` });
    const get = (path: string) => world.call('GET', path, undefined, session);
    const sell = async (id: string, fields: Record<string, unknown> = {}) =>
      world.track('sale', {
        transaction_id: id,
        amount_cents: 1000,
        click_id: await world.click('anna'),
        ...fields,
      });

    describe('POST /api/v1/track/exists', () => {
      const exists = (ids: unknown, token?: string) =>
        withToken('POST', '/api/v1/track/exists', { transaction_ids: ids }, token);

      test("finds only sales of the token's program, by any of the payment's ids", async () => {
        await sell('t1', { processor_refs: ['pi_1'] });
        await world.track('sale', { transaction_id: 'test1', additional_data: { test_mode: true } });
        const otherProgram = await addProgram(world, world.workspaceId, 'cora');
        expect(await exists(['t1', 'x', 'pi_1', 'x', 'test1'])).toMatchObject({
          status: 200,
          body: { success: true, existing: ['t1', 'pi_1'], missing: ['x', 'test1'] },
        });
        expect((await exists(['t1', 'pi_1'], otherProgram.token)).body).toEqual({
          success: true,
          existing: [],
          missing: ['t1', 'pi_1'],
        });
      });

      test('accepts up to 1,000 ids and returns 400 for any other list', async () => {
        const ids = Array.from({ length: 1000 }, (_, index) => `t${index}`);
        await sell('t7');
        const reply = await exists(ids);
        expect(reply.body['existing']).toEqual(['t7']);
        expect(reply.body['missing']).toHaveLength(999);
        for (const wrong of [[...ids, 'more'], [], 'a', [5], [''], undefined]) {
          expect(await exists(wrong)).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
        }
      });

      test('accepts 1,000 ids of the maximum length, even as JSON escapes', async () => {
        const ids = Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(255, '€'));
        await sell(ids[7] ?? '');
        const reply = await exists(ids);
        expect([reply.status, reply.body['existing']]).toEqual([200, [ids[7]]]);
        const escaped = JSON.stringify({ transaction_ids: ids }).replaceAll('€', '\\u20ac');
        const authorization = `Bearer ${world.token}`;
        const same = await world.call('POST', '/api/v1/track/exists', escaped, { authorization });
        expect(same.body['missing']).toHaveLength(999);
      });

      test('returns 413 for a larger body, but checks the token first', async () => {
        const ids = ['x'.repeat(1_600_000)];
        expect(await exists(ids)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
        expect(await exists(ids, 'aff_wrong')).toMatchObject({ status: 401 });
      });

      test('uses the same SQL text for any number of ids', async () => {
        const { dialect, read } = world.engine;
        const sqlTexts = new Set<string>();
        const recordingDb = (dialect === 'sqlite' ? sqliteKysely : postgresKysely)(async (query) => {
          sqlTexts.add(query.sql);
          return await read.executeQuery(query);
        });
        for (const count of [1, 2, 17, 1000]) {
          const ids = Array.from({ length: count }, (_, index) => `t${index}`);
          await listKnownTransactions({ dialect, read: recordingDb }, world.program, ids);
        }
        expect(sqlTexts.size).toBe(2);
      });

      test('requires a tracking token', async () => {
        expect(await exists(['t1'], 'aff_wrong')).toMatchObject({ status: 401 });
        const body = { transaction_ids: ['t1'] };
        expect(await world.call('POST', '/api/v1/track/exists', body, session)).toMatchObject({
          status: 401,
          body: { code: 'token_wrong_type' },
        });
      });
    });

    test('the integration status reflects the events of the program', async () => {
      const status = () => withToken('GET', '/api/v1/cli/status');
      expect((await status()).body).toEqual({
        success: true,
        program_id: world.program.id,
        name: 'Shop program',
        slug: 'shop-program',
        domain: 'shop.example',
        status: 'draft',
        api_token_masked: world.program.apiTokenMasked,
        steps: { pageview: 'pending', referrals: 'pending', payments: 'pending' },
        last_event_at: { click: null, lead: null, sale: null },
        recent_events: { clicks_24h: 0, leads_24h: 0, sales_24h: 0 },
        active_partners: 2,
        pending_commissions: 0,
        healthy: false,
        checked_at: new Date(START).toISOString(),
      });
      await sell('t1');
      world.clock.now += 25 * HOUR;
      await world.click('anna');
      const inTest = { additional_data: { test_mode: true, program_id: world.program.id } };
      await world.track('lead', { click_id: 'any', ...inTest });
      expect((await status()).body).toMatchObject({
        steps: { pageview: 'pending', referrals: 'complete', payments: 'pending' },
        last_event_at: {
          click: new Date(START + 25 * HOUR).toISOString(),
          lead: null,
          sale: new Date(START).toISOString(),
        },
        recent_events: { clicks_24h: 1, leads_24h: 0, sales_24h: 0 },
        pending_commissions: 1,
        healthy: true,
      });
      expect((await world.call('GET', '/api/v1/cli/status', undefined, session)).status).toBe(401);
    });

    test('the marketplace shows only the public fields of live programs, without a credential', async () => {
      const market = () => world.call('GET', '/api/v1/marketplace/programs');
      expect((await market()).body).toMatchObject({ success: true, data: [] });
      const otherProgram = await addProgram(world, world.workspaceId, 'cora');
      const flat = { type: 'flat', amount_cents: 500 };
      await world.call(
        'POST',
        PROGRAMS,
        { name: 'Flat', site_url: 'https://f.example', commission: flat, workspace_id: world.workspaceId },
        session,
      );
      for (const id of [world.program.id, otherProgram.program.id]) {
        await world.call('POST', `${PROGRAMS}/${id}/go-live`, undefined, session);
      }
      const product = { type: 'percent', rate: 90, product_id: 'pro' };
      await world.call('POST', `${PROGRAMS}/${world.program.id}/commission-policies`, product, session);
      const publicFields = (name: string, slug: string, site: string) => ({
        name,
        slug,
        site_url: site,
        commission: { type: 'percent', rate: 20, recurring_months: null },
        cookie_window_days: 60,
      });
      expect((await market()).body).toEqual({
        success: true,
        data: [
          publicFields('Program of cora', 'program-of-cora', 'https://other.example'),
          publicFields('Shop program', 'shop-program', 'https://shop.example'),
        ],
        meta: { pagination: { page: 1, pageSize: 10, pageCount: 1, total: 2 } },
      });
      await world.call('DELETE', `${PROGRAMS}/${otherProgram.program.id}`, undefined, session);
      expect((await market()).body).toMatchObject({ meta: { pagination: { total: 1 } } });
    });

    describe('the summary', () => {
      const PATH = '/api/advertiser/dashboard/summary';
      const empty = {
        programs: 0,
        live_programs: 0,
        partners: 0,
        pending_partners: 0,
        clicks: 0,
        leads: 0,
        conversions: 0,
        sales: 0,
        revenue: [],
        commission: [],
        pending_commissions: 0,
        balances: [],
      };

      test('the summary sums up only the programs that the credential may see', async () => {
        const click = await world.click('anna');
        await world.track('lead', { click_id: click });
        await sell('t1', { click_id: click });
        await sell('t2', { currency: 'EUR' });
        const otherProgram = await addProgram(world, world.workspaceId, 'cora');
        await world.click('cora');
        const all = {
          programs: 2,
          live_programs: 0,
          partners: 3,
          pending_partners: 0,
          // Each of these sales also records a click.
          clicks: 4,
          leads: 1,
          conversions: 2,
          sales: 2,
          revenue: [
            { currency: 'EUR', amount_cents: 1000 },
            { currency: 'USD', amount_cents: 1000 },
          ],
          commission: [
            { currency: 'EUR', amount_cents: 200 },
            { currency: 'USD', amount_cents: 200 },
          ],
          pending_commissions: 2,
          balances: [
            { currency: 'EUR', balance_cents: 200 },
            { currency: 'USD', balance_cents: 200 },
          ],
        };
        expect((await get(PATH)).body).toEqual({ success: true, data: all });
        const key = await world.call(
          'POST',
          '/api/advertiser/api-keys',
          { name: 'k', program_scope: [otherProgram.program.id], workspace_id: world.workspaceId },
          session,
        );
        const data = key.body['data'] as { key: string };
        expect((await withToken('GET', PATH, undefined, data.key)).body).toEqual({
          success: true,
          data: { ...empty, programs: 1, partners: 1, clicks: 1 },
        });
      });

      test('the summary of an empty workspace contains only zeros; an unknown workspace gets a 404', async () => {
        const made = await world.call('POST', '/api/advertiser/workspaces', { name: 'New' }, session);
        const { id } = made.body['data'] as { id: number };
        expect((await get(`${PATH}?workspace_id=${id}`)).body).toEqual({ success: true, data: empty });
        expect(await get(`${PATH}?workspace_id=9999`)).toMatchObject({ status: 404 });
        expect(await get(`${PATH}?workspace_id=x`)).toMatchObject({ status: 400 });
        expect((await world.call('GET', PATH)).status).toBe(401);
      });
    });

    describe('notifications', () => {
      const PATH = '/api/advertiser/notifications';
      beforeEach(async () => {
        await sell('t1');
        await world.engine.write(world.workspaceId, (tx) =>
          tx.db.updateTable('commissions').set({ status: 'paid', paid_at: START }).execute(),
        );
        await world.track('refund', { transaction_id: 't1', refund_reason: 'broken' });
        await world.affkit.jobs.runOnce();
      });

      test("the advertiser's list contains its warnings, but not the notifications of partners", async () => {
        const reply = await get(PATH);
        expect(reply.body).toEqual({
          success: true,
          data: [
            {
              id: expect.any(Number),
              workspace_id: world.workspaceId,
              program_id: world.program.id,
              kind: 'paid_commission_reversed',
              details: {
                commission_id: expect.any(Number),
                deduction_cents: 200,
                currency: 'USD',
                reason: 'broken',
              },
              read_at: null,
              created_at: new Date(START).toISOString(),
            },
          ],
          meta: { pagination: { page: 1, pageSize: 10, pageCount: 1, total: 1 }, unread_count: 1 },
        });
      });

      test('the time of the first read is kept when 20 concurrent requests mark a notification as read', async () => {
        const [first] = (await get(PATH)).body['data'] as { id: number }[];
        const read = (id: unknown) => world.call('POST', `${PATH}/${id}/read`, undefined, session);
        expect(countStatuses(await runConcurrently(20, () => read(first?.id)))).toEqual({ 200: 20 });
        world.clock.now += HOUR;
        expect(await read(first?.id)).toMatchObject({
          status: 200,
          body: { success: true, data: { id: first?.id, read_at: new Date(START).toISOString() } },
        });
        const rows = await world.engine.read.selectFrom('notifications').selectAll().execute();
        const toPartner = rows.find((row) => row.partner_id !== null);
        expect(toPartner?.read_at).toBeNull();
        for (const id of [toPartner?.id, 9999, 'x'])
          expect(await read(id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      });
    });
  });
}
