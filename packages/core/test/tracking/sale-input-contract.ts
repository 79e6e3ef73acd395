import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { START } from '../support/world.ts';

const DAY = 86_400_000;

export function saleInputContract(kind: string, open: OpenEngine): void {
  describe(`the input of sales on ${kind}`, () => {
    let world: SaleWorld;
    beforeEach(async () => {
      world = await openSaleWorld(open);
    });
    afterEach(() => auditAndClose(world));

    describe('a sale', () => {
      test('stores line_items that are an array', async () => {
        const { status } = await world.sell({ customer_key: 'u1', line_items: [{ sku: 'tea' }, 2] });
        expect(status).toBe(200);
        expect(
          await world.engine.read.selectFrom('sales').select('line_items').executeTakeFirst(),
        ).toMatchObject({ line_items: '[{"sku":"tea"},2]' });
      });

      test('gets a hint if its customer_key is unknown', async () => {
        const sale = { transaction_id: 'x', amount_cents: 1 };
        const { body } = await world.track('sale', { ...sale, customer_key: 'u9', click_id: 'unknown' });
        expect(body).toMatchObject({
          error: 'Customer not found. Provide customer_key or click_id.',
          hint: expect.stringContaining('Report the lead first, with the same customer_key'),
        });
        expect((await world.track('sale', sale)).body).not.toHaveProperty('hint');
      });

      test.each([
        [{}, 'transaction_id is required and must be a string', 'transaction_id_required'],
        [
          { transaction_id: 5, amount_cents: 1 },
          'transaction_id is required and must be a string',
          'transaction_id_required',
        ],
        [
          { transaction_id: '', amount_cents: 1 },
          'transaction_id is required and must be a string',
          'transaction_id_required',
        ],
        [
          { transaction_id: 'x' },
          'amount_cents is required and must be a positive integer',
          'amount_cents_required',
        ],
        [
          { transaction_id: 'x', amount_cents: 0 },
          'amount_cents is required and must be a positive integer',
          'amount_cents_required',
        ],
        [
          { transaction_id: 'x', amount_cents: 1.5 },
          'amount_cents is required and must be a positive integer',
          'amount_cents_required',
        ],
        [
          { transaction_id: 'x', amount_cents: '100' },
          'amount_cents is required and must be a positive integer',
          'amount_cents_required',
        ],
        [
          { transaction_id: 'x', amount_cents: 1e12 },
          'amount_cents must be at most 999999999999',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, currency: 'XXQ' },
          'currency must be an ISO 4217 code, e.g. USD',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, sale_type: 'gift' },
          'sale_type must be payment or subscription',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, line_items: 'tea' },
          'line_items must be an object or an array',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, occurred_at: 'yesterday' },
          'occurred_at must be an ISO 8601 date and time with a zone',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, customer_key: 42, click_id: 'clk' },
          'customer_key must be a string',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, customer_key: 42, click_id: {} },
          'Customer not found. Provide customer_key or click_id.',
          'sale_customer_not_found',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, click_id: 42, currency: 'XXQ' },
          'currency must be an ISO 4217 code, e.g. USD',
          'invalid_field',
        ],
        [
          { transaction_id: 'x', amount_cents: 1 },
          'Customer not found. Provide customer_key or click_id.',
          'sale_customer_not_found',
        ],
        [
          { transaction_id: 'x', amount_cents: 1, customer_key: 'nobody' },
          'Customer not found. Provide customer_key or click_id.',
          'sale_customer_not_found',
        ],
      ])('is rejected with the body %j and does not use up its transaction id', async (body, text, code) => {
        expect(await world.track('sale', body)).toMatchObject(errorResponse(400, text, code));
        expect((await world.sell({ transaction_id: 'x' })).status).toBe(200);
      });

      test.each(['customer_key', 'click_id'])('gets a hint if its %s is a number', async (name) => {
        const { body } = await world.sell({ customer_key: undefined, click_id: undefined, [name]: 5 });
        expect(body).toMatchObject({
          code: 'sale_customer_not_found',
          hint: expect.stringContaining(`${name} must be a string`),
        });
      });

      test('gets no hint about the type of its ids if they are null, because null counts as absent', async () => {
        const { body } = await world.sell({ customer_key: null, click_id: null });
        expect(body).toMatchObject({ code: 'sale_customer_not_found' });
        expect(body).not.toHaveProperty('hint');
        const { body: unknown } = await world.sell({ customer_key: 'nobody', click_id: null });
        expect(unknown['hint']).toContain('No customer of the program has this customer_key');
      });

      test.each([
        [{}, 'authorization_missing'],
        [{ authorization: 'Bearer ' }, 'token_empty'],
        [{ authorization: 'Bearer aff_nonsense' }, 'token_invalid'],
        [{ authorization: 'Bearer affk_nonsense' }, 'token_wrong_type'],
      ])(
        'gets a 401 with the credential %j before any other check',
        async (headers: Record<string, string>, code) => {
          for (const path of ['/api/v1/track/sale', '/api/v1/track/refund', '/api/tracking/sale']) {
            const reply = await world.call('POST', path, '{', headers);
            expect([reply.status, reply.body['code']]).toEqual([401, code]);
          }
        },
      );

      test('is rejected if its currency contains a look-alike of an ASCII letter', async () => {
        expect(await world.sell({ currency: '\u017fgd' })).toMatchObject(
          errorResponse(400, 'currency must be an ISO 4217 code, e.g. USD', 'invalid_field'),
        );
        expect((await world.sell({ currency: 'sgd' })).status).toBe(200);
      });

      test('is stored with the time occurred_at', async () => {
        const at = START - 3 * DAY;
        await world.sell({ occurred_at: new Date(at).toISOString() });
        expect(
          await world.engine.read.selectFrom('sales').select(['sale_at', 'created_at']).executeTakeFirst(),
        ).toEqual({ sale_at: at, created_at: START });
        expect(
          (await world.sell({ transaction_id: 't2', occurred_at: new Date(START - 91 * DAY).toISOString() }))
            .status,
        ).toBe(400);
      });

      test('earns a commission in its own currency and smallest unit, even in yen and dinar', async () => {
        await world.sell({ currency: 'jpy', amount_cents: 999 });
        await world.sell({ transaction_id: 't2', currency: 'KWD', amount_cents: 12_345 });
        expect((await world.balances()).program).toEqual({ JPY: 200, KWD: 2469 });
        expect((await world.track('refund', { transaction_id: 't2' })).body['deductionAmount']).toBe(2.469);
        expect((await world.track('refund', { transaction_id: 't1' })).body['deductionAmount']).toBe(200);
      });
    });
  });
}
