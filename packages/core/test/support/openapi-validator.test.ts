import { afterAll, expect, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import type { HttpReply } from '../../src/http/message.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { handleChecked } from './openapi-validator.ts';

const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: 's'.repeat(32) });
afterAll(() => affkit.close());

/** Validates an exchange: a sale with this body, and this reply. */
function check(body: object, status: number, reply: object): Promise<HttpReply | null> {
  const text = JSON.stringify(body);
  const request = {
    method: 'POST',
    path: '/api/v1/track/sale',
    query: new URLSearchParams(),
    header: () => undefined,
    body: async () => new TextEncoder().encode(text),
    ip: null,
    secure: true,
  };
  return handleChecked(
    { ...affkit, handle: async () => ({ status, headers: {}, body: reply }) },
    request,
    text,
  );
}

const SALE = { transaction_id: 'order-1', amount_cents: 1 };
const RECORDED = { success: true, sale_id: 1, commission_id: null, message: 'Sale tracked successfully' };
const REJECTED = { error: 'No', code: 'amount_cents_required', request_id: 'r' };

test('accepts exchanges that match the document', async () => {
  expect(await check(SALE, 200, RECORDED)).toMatchObject({ status: 200 });
  expect(await check({ ...SALE, customer_key: '', currency: null }, 200, RECORDED)).toMatchObject({
    status: 200,
  });
  expect(await check({ nothing: 'valid' }, 400, REJECTED)).toMatchObject({ status: 400 });
});

test.each([
  ['a sale without an id was accepted', { amount_cents: 1 }, 200, RECORDED],
  ['a wrong type was accepted', { ...SALE, currency: 5 }, 200, RECORDED],
  ['a reply lacks a field', SALE, 200, { success: true }],
  ['a status is not documented', SALE, 418, REJECTED],
  ['a code is not documented', SALE, 400, { ...REJECTED, code: 'slug_taken' }],
])('throws if %s', async (_, body, status, reply) => {
  await expect(check(body, status, reply)).rejects.toThrow('violates the OpenAPI document');
});
