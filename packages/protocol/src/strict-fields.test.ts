import { expect, test } from 'vitest';
import { z } from 'zod';
import { strictFields, strictQuery } from './strict-fields.ts';

const settings = strictFields({
  name: z.string().optional(),
  partner_id: z.number().optional(),
  id: z.number().optional(),
  commission: strictFields({ rate: z.number().optional() }).optional(),
});
const errorOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

test.each([
  [{ nmae: 'Anna' }, 'Unknown field "nmae". Did you mean "name"?'],
  [{ partnerId: 1 }, 'Unknown field "partnerId". Did you mean "partner_id"?'],
  [{ nmae: '', partner: 1 }, 'Unknown fields "nmae", "partner". Did you mean "name", "partner_id"?'],
  [{ commission: { rte: 1 } }, 'Unknown field "commission.rte". Did you mean "commission.rate"?'],
  [{ color: 'red' }, 'Unknown field "color". Known: name, partner_id, id, commission.'],
  [{ a: 1 }, 'Unknown field "a". Known: name, partner_id, id, commission.'],
])('rejects the unknown fields of %j and suggests similar ones', (value, message) => {
  expect(errorOf(settings, value)).toBe(message);
});

test('uses the words "query parameter" for a query, and says when a route accepts none', () => {
  expect(errorOf(strictQuery({ pageSize: z.string().optional() }), { page_size: '5' })).toBe(
    'Unknown query parameter "page_size". Did you mean "pageSize"?',
  );
  expect(errorOf(strictQuery({}), { page: '5' })).toBe(
    'Unknown query parameter "page". This route accepts none.',
  );
});

test('limits the length of the message, whatever the request contains', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, 1]));
  expect(errorOf(settings, many)).toContain('and 995 more. Known');
  expect(errorOf(settings, { ['x'.repeat(50_000)]: 1 })?.length).toBeLessThan(200);
  expect(errorOf(settings, { '\u202eeman': 1 })).toBe(
    'Unknown field "eman". Known: name, partner_id, id, commission.',
  );
});
