import { expect, test } from 'vitest';
import * as audit from '#messages/audit.tsx';
import * as ui from '#messages/candidates.ts';
import { isolate } from './isolate.ts';

test('isolates a right-to-left name from the rest of the sentence', () => {
  for (const name of ['عربي', 'Tea שלום', 'ߒߞߏ', '𞤀𞤣', 'a\u200f'])
    expect(isolate(name)).toBe(`\u2068${name}\u2069`);
  expect(audit.moneyName('عربي', 'Nov 1, 2026', '$5.00')).toBe(
    '\u2068عربي\u2069, $5.00, Nov\u00a01,\u00a02026',
  );
  expect(ui.policyScope(7, 'שלום', 'Ana')).toBe('Policy 7: product \u2068שלום\u2069, Ana');
});

test('adds no invisible characters to other names', () => {
  for (const name of ['Ana', 'Straße ☕️ 茶', 'order-1', '']) expect(isolate(name)).toBe(name);
});

test('removes characters that would change the direction of the rest of the sentence', () => {
  expect(isolate('Ana\u202e')).toBe('Ana');
  expect(isolate('\u2069\u202eعربي')).toBe('\u2068عربي\u2069');
});
