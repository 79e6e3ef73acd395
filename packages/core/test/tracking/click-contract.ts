import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { changeLink } from '../../src/management/links.ts';
import { changePartner } from '../../src/management/partners.ts';
import { changeProgram, deleteProgram } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { addLink, addProgram, makeWorld, START, unwrap, type World } from '../support/world.ts';

const CLICK = '/api/v1/track/click';
const LEAD = '/api/v1/track/lead';
const LANDING = 'https://shop.example/?aff=anna';

export function clickContract(kind: string, open: OpenEngine): void {
  describe(`clicks on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => auditAndClose(world));

    describe('a click', () => {
      test('creates a customer and an event, and is counted', async () => {
        const reply = await world.call(
          'POST',
          CLICK,
          {
            affiliate_url: LANDING,
            page_url: 'https://shop.example/landing',
            referrer_url: 'javascript:alert(1)',
            page_title: 7,
            session_id: 's'.repeat(300),
            language: 'de',
          },
          {
            'user-agent':
              'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
          },
        );
        expect(reply).toEqual({
          status: 200,
          body: {
            success: true,
            click_id: expect.stringMatching(/^clk_[0-9a-z]{33}$/),
            partner_code: 'anna',
            cookie_window_days: 60,
            attributed_partner_code: 'anna',
            attribution_model: 'last_click',
          },
          headers: expect.objectContaining({ 'x-request-id': expect.any(String), vary: 'Origin' }),
        });
        const event = await world.engine.read
          .selectFrom('click_events')
          .selectAll()
          .executeTakeFirstOrThrow();
        expect(event).toMatchObject({
          click_id: reply.body['click_id'],
          page_url: 'https://shop.example/landing',
          referrer_url: null,
          session_id: 's'.repeat(255),
          device_type: 'mobile',
          device_os: 'iOS',
          browser_name: 'Mobile Safari',
          details: '{"language":"de"}',
          is_test: 0,
          click_at: START,
        });
        const customer = await world.engine.read
          .selectFrom('customers')
          .selectAll()
          .executeTakeFirstOrThrow();
        expect(customer).toMatchObject({
          id: event.customer_id,
          status: 'click',
          partner_id: world.anna.partnerId,
        });
        const counters = await world.engine.read
          .selectFrom('counters')
          .select(['subject', 'value', 'last_at'])
          .orderBy('subject')
          .execute();
        expect(counters).toEqual([
          { subject: 'link', value: 1, last_at: START },
          { subject: 'partner', value: 1, last_at: START },
        ]);
      });

      test.each([
        [{}, 'affiliate_url is required', 'affiliate_url_required'],
        [[], 'affiliate_url is required', 'affiliate_url_required'],
        [null, 'affiliate_url is required', 'affiliate_url_required'],
        [{ affiliate_url: 5 }, 'affiliate_url is required', 'affiliate_url_required'],
        [{ affiliate_url: '' }, 'affiliate_url is required', 'affiliate_url_required'],
        [{ affiliate_url: 'shop.example?aff=anna' }, 'Invalid affiliate_url', 'invalid_affiliate_url'],
        [
          { affiliate_url: 'https://shop.example/' },
          'No aff parameter found in affiliate_url',
          'aff_parameter_missing',
        ],
        [
          { affiliate_url: 'https://shop.example/?aff=annas' },
          'Referral link not found',
          'referral_link_not_found',
        ],
        [
          { affiliate_url: LANDING, existing_click_id: 5 },
          'existing_click_id must be a string',
          'invalid_field',
        ],
        [
          { affiliate_url: LANDING, additional_data: 'x' },
          'additional_data must be an object',
          'invalid_field',
        ],
        // An invalid URL is reported before other invalid fields.
        [{ affiliate_url: 'nope', additional_data: 'x' }, 'Invalid affiliate_url', 'invalid_affiliate_url'],
        [
          { affiliate_url: 'https://shop.example/', existing_click_id: 5 },
          'No aff parameter found in affiliate_url',
          'aff_parameter_missing',
        ],
        [
          { affiliate_url: 'nope', additional_data: { test_mode: true, idempotency_key: 5 } },
          'Invalid affiliate_url',
          'invalid_affiliate_url',
        ],
        [
          { affiliate_url: `https://shop.example/${'x'.repeat(16_384)}`, additional_data: 'x' },
          'Invalid affiliate_url',
          'invalid_affiliate_url',
        ],
      ])('is rejected with the body %j', async (body, text, code) => {
        expect(await world.call('POST', CLICK, body)).toMatchObject(errorResponse(400, text, code));
        expect(await world.engine.read.selectFrom('customers').select('id').execute()).toEqual([]);
      });

      test('is rejected if the partner of the link was erased', async () => {
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('links').set({ partner_id: null }).execute();
        });
        expect(await world.call('POST', CLICK, { affiliate_url: LANDING })).toMatchObject(
          errorResponse(400, 'Invalid referral link configuration', 'invalid_referral_link'),
        );
      });

      test('is not tracked if the link is inactive or its partner is not approved', async () => {
        const link = await world.engine.read
          .selectFrom('links')
          .select('id')
          .where('short_link', '=', 'anna')
          .executeTakeFirstOrThrow();
        unwrap(await changeLink(world.affkit.runtime, world.program, link.id, 'inactive'));
        unwrap(
          await changePartner(
            world.affkit.runtime,
            world.program,
            world.ben.partnerId,
            { status: 'banned' },
            null,
          ),
        );
        for (const code of ['anna', 'ben']) {
          expect(
            await world.call('POST', CLICK, { affiliate_url: `https://shop.example/?aff=${code}` }),
          ).toMatchObject({
            status: 200,
            body: { success: false, code: 'link_inactive', message: expect.any(String) },
          });
        }
        expect(await world.engine.read.selectFrom('click_events').select('id').execute()).toEqual([]);
      });

      test('is rejected if the program of the link was deleted', async () => {
        unwrap(await deleteProgram(world.affkit.runtime, world.program));
        expect(await world.call('POST', CLICK, { affiliate_url: LANDING })).toMatchObject(
          errorResponse(400, 'Referral link not found', 'referral_link_not_found'),
        );
      });

      test('reuses the customer of a known existing_click_id, and ignores an unknown one', async () => {
        const first = await world.click('anna');
        expect(await world.click('anna', { existing_click_id: first })).toBe(first);
        expect(await world.click('anna', { existing_click_id: `${first.slice(0, -1)}!` })).not.toBe(first);
        const otherProgram = await addProgram(world, world.workspaceId, 'carl');
        const elsewhere = await world.click('carl');
        expect(await world.click('anna', { existing_click_id: elsewhere })).not.toBe(elsewhere);
        expect(otherProgram.program.id).not.toBe(world.program.id);
      });

      test('moves the customer to the partner of its link if the model is last_click, but not after the lead', async () => {
        const id = await world.click('anna');
        const moved = await world.call('POST', CLICK, {
          affiliate_url: 'https://shop.example/?aff=ben',
          existing_click_id: id,
        });
        expect(moved.body).toMatchObject({
          click_id: id,
          partner_code: 'ben',
          attributed_partner_code: 'ben',
        });
        await world.track('lead', { click_id: id, customer_key: 'u1' });
        const second = await world.call('POST', CLICK, { affiliate_url: LANDING, existing_click_id: id });
        expect(second.body).toMatchObject({
          click_id: id,
          partner_code: 'anna',
          attributed_partner_code: 'ben',
        });
      });

      test('gets the visited code as attributed code if it restarts the window, even for another link of the partner', async () => {
        unwrap(
          await changeProgram(world.affkit.runtime, world.program, { attribution_model: 'first_click' }),
        );
        await addLink(world, world.anna.partnerId, 'anna-2');
        const id = await world.click('anna');
        const visit = async (code: string) => {
          const affiliate_url = `https://shop.example/?aff=${code}`;
          const { body } = await world.call('POST', CLICK, { affiliate_url, existing_click_id: id });
          return [body['click_id'], body['attributed_partner_code']];
        };
        world.clock.now += 50 * DAY_MS;
        expect(await visit('anna-2')).toEqual([id, 'anna-2']);
        expect(await visit('ben')).toEqual([id, 'anna']);
        world.clock.now += 50 * DAY_MS;
        const sale = await world.track('sale', { transaction_id: 't1', amount_cents: 1000, click_id: id });
        expect(sale.body['commission_id']).not.toBeNull();
      });

      test('is counted once and gets the same response if its idempotency key is repeated', async () => {
        const body = { affiliate_url: LANDING, additional_data: { idempotency_key: 'k1' } };
        const together = await Promise.all(Array.from({ length: 20 }, () => world.call('POST', CLICK, body)));
        const later = await world.call('POST', CLICK, body);
        const answers = new Set([...together, later].map((reply) => JSON.stringify(reply.body)));
        expect(answers.size).toBe(1);
        expect(await world.engine.read.selectFrom('click_events').select('id').execute()).toHaveLength(1);
        const onOtherLink = await world.call('POST', CLICK, {
          ...body,
          affiliate_url: 'https://shop.example/?aff=ben',
        });
        expect(onOtherLink.body['click_id']).not.toBe(later.body['click_id']);
      });

      test('gets the same response for a repeated idempotency key after the partner was banned', async () => {
        const body = { affiliate_url: LANDING, additional_data: { idempotency_key: 'k1' } };
        const first = await world.call('POST', CLICK, body);
        const { runtime } = world.affkit;
        unwrap(await changePartner(runtime, world.program, world.anna.partnerId, { status: 'banned' }, null));
        expect((await world.call('POST', CLICK, body)).body).toEqual(first.body);
        const other = { affiliate_url: LANDING, additional_data: { idempotency_key: 'k2' } };
        expect((await world.call('POST', CLICK, other)).body).toMatchObject({ code: 'link_inactive' });
        expect(await world.engine.read.selectFrom('click_events').select('id').execute()).toHaveLength(1);
      });

      test('is recorded 20 times if it is sent 20 times concurrently without an idempotency key', async () => {
        const ids = await Promise.all(Array.from({ length: 20 }, () => world.click('anna')));
        expect(new Set(ids).size).toBe(20);
        const counter = await world.engine.read
          .selectFrom('counters')
          .select('value')
          .where('subject', '=', 'link')
          .execute();
        expect(counter.reduce((sum, row) => sum + row.value, 0)).toBe(20);
      });

      test('accepts JSON as text/plain, and rejects invalid JSON and bodies that are too large', async () => {
        const plain = await world.call('POST', CLICK, JSON.stringify({ affiliate_url: LANDING }), {
          'content-type': 'text/plain;charset=UTF-8',
        });
        expect(plain.status).toBe(200);
        expect(await world.call('POST', CLICK, '{')).toMatchObject(
          errorResponse(400, 'Invalid JSON body', 'invalid_json'),
        );
        expect(await world.call('POST', CLICK, 'x'.repeat(65_537))).toMatchObject(
          errorResponse(413, 'Request body too large', 'body_too_large'),
        );
      });

      test('is accepted on the legacy path', async () => {
        expect((await world.call('POST', '/api/tracking/click', { affiliate_url: LANDING })).status).toBe(
          200,
        );
      });

      test('gets a fixed error text while the database fails, and can be retried', async () => {
        await world.engine.write(1, (tx) =>
          tx.db.schema.alterTable('click_events').renameTo('gone').execute(),
        );
        const reply = await world.call('POST', CLICK, { affiliate_url: LANDING });
        expect(reply).toMatchObject(errorResponse(500, 'Click tracking failed', 'click_failed'));
        expect(reply.headers['x-should-retry']).toBe('true');
        await world.engine.write(1, (tx) =>
          tx.db.schema.alterTable('gone').renameTo('click_events').execute(),
        );
        expect((await world.call('POST', CLICK, { affiliate_url: LANDING })).status).toBe(200);
      });
    });

    describe('the page origin', () => {
      test('is echoed when it is allowed', async () => {
        const reply = await world.call(
          'POST',
          CLICK,
          { affiliate_url: LANDING },
          { origin: 'https://shop.example' },
        );
        expect(reply.status).toBe(200);
        expect(reply.headers).toMatchObject({
          vary: 'Origin',
          'access-control-allow-origin': 'https://shop.example',
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': 'Retry-After, X-Request-Id',
        });
      });

      test.each(['https://evil.example', 'null'])(
        '%s is rejected before anything is written',
        async (origin) => {
          const id = await world.click('anna');
          const click = await world.call('POST', CLICK, { affiliate_url: LANDING }, { origin });
          const lead = await world.call('POST', LEAD, { click_id: id }, { origin });
          const refused = errorResponse(403, 'Origin not allowed', 'origin_not_allowed');
          expect([click, lead]).toMatchObject([refused, refused]);
          expect(click.headers['access-control-allow-origin']).toBe(origin === 'null' ? undefined : origin);
          expect(await world.engine.read.selectFrom('click_events').select('id').execute()).toHaveLength(1);
        },
      );

      test.each(['*', ''])('is rejected and not echoed if it is not a valid origin: "%s"', async (origin) => {
        const reply = await world.call('POST', CLICK, { affiliate_url: LANDING }, { origin });
        expect(reply).toMatchObject(errorResponse(403, 'Origin not allowed', 'origin_not_allowed'));
        expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
        expect(reply.headers).toMatchObject({ vary: 'Origin' });
      });

      test('every preflight gets a 204', async () => {
        const reply = await world.call('OPTIONS', CLICK, undefined, { origin: 'https://evil.example' });
        expect(reply).toMatchObject({
          status: 204,
          headers: {
            'access-control-allow-methods': 'POST',
            'access-control-allow-headers': 'content-type',
            'access-control-max-age': '7200',
          },
        });
      });

      test.each(['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip', 'prerender'])(
        'a prefetched page (%s) gets a 425 and stores nothing; its click is recorded when the page is shown',
        async (purpose) => {
          const events = () => world.engine.read.selectFrom('click_events').select('id').execute();
          const body = { affiliate_url: LANDING, additional_data: { idempotency_key: 'once' } };
          const ahead = await world.call('POST', CLICK, body, {
            'sec-purpose': purpose,
            origin: 'https://shop.example',
          });
          expect(ahead).toMatchObject({ status: 425, body: { code: 'page_not_shown' } });
          expect(ahead.headers).toMatchObject({
            'x-should-retry': 'true',
            'access-control-allow-origin': 'https://shop.example',
          });
          expect(await events()).toEqual([]);
          expect((await world.call('POST', CLICK, body)).status).toBe(200);
          expect(await events()).toHaveLength(1);
        },
      );
    });
  });
}
