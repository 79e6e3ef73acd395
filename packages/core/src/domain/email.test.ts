import { expect, test } from 'vitest';
import { normalizeEmail } from './email.ts';

test.each([
  [' Ann.KAY@Shop.Example\n', 'ann.kay@shop.example'],
  ['\u212aay@shop.example', '\u212aay@shop.example'],
  ['\u0130an@shop.example', '\u0130an@shop.example'],
  ['\uff2bay@shop.example', '\uff2bay@shop.example'],
])('normalizes %j to %j, and converts only ASCII letters to lower case', (email, normalized) => {
  expect(normalizeEmail(email)).toBe(normalized);
});
