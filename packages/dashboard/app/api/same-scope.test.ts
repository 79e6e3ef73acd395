import { expect, test } from 'vitest';
import { isSameScope } from './same-scope.ts';

const PARTNERS = '/api/advertiser/affiliate-programs/1/partners';
const BALANCES = '/api/partner/balances';

test('a list with another filter, order, or page has the same scope', () => {
  const before = { status: 'pending', sort: 'name', page: '2' };
  expect(isSameScope([PARTNERS, before], [PARTNERS, { status: 'approved' }])).toBe(true);
  expect(
    isSameScope([BALANCES, { program_id: 1, partner_id: 4 }], [BALANCES, { program_id: 1, partner_id: 4 }]),
  ).toBe(true);
});

test('a list with another path, program, partner, sub id, or workspace has another scope', () => {
  expect(isSameScope([PARTNERS, {}], [PARTNERS.replace('1', '2'), {}])).toBe(false);
  const query = { workspace_id: 1, program_id: 1, partner_id: 4, sub_id: 'blog' };
  for (const name of Object.keys(query)) {
    expect(isSameScope([BALANCES, query], [BALANCES, { ...query, [name]: 9 }])).toBe(false);
  }
});
