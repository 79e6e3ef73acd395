import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.1,
  1.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1e308,
  -1e308,
  5e-324,
];

export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00z',
  'x'.repeat(65),
  'x'.repeat(256),
  'x'.repeat(5_000),
  '😀'.repeat(128),
  '\u202egnp.exe',
  '\u200b',
  '\ufeff',
  // When their case is changed, the Kelvin sign, the dotless i and the long s become ASCII letters.
  '\u212aelvin@shop.test',
  'adm\u0131n',
  'u\u017fd',
  '１２３',
  '__proto__',
  'constructor',
  'toString',
  '<script>alert(1)</script>',
  "'; DROP TABLE users; --",
  '%_\\',
  '..',
  '../../etc/passwd',
  '{{7*7}}',
  '=cmd|1',
  'a\r\nX-Injected: 1',
  '9'.repeat(30),
  '1e3',
  '0x10',
  '-0',
  '007',
  'null',
  'NaN',
  '2026-02-30',
  '2026-01-31T25:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00Z',
  '0000-01-01',
  'https://user:password@shop.example',
  'javascript:alert(1)',
  'http://[::1',
  'https://shop.example:99999/',
  `https://shop.example/?aff=${'a'.repeat(2_000)}`,
  'https://shop.example/?aff=%E0%A4%A',
  'a@b',
  `${'a'.repeat(300)}@shop.test`,
  '*',
  'txn',
  'test_txn_1',
];

/** Returns a value that contains `depth` levels of lists and objects. */
function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A value of each kind that services often fail to check. */
export const ESSENTIAL_VALUES: readonly unknown[] = [
  'a\0b',
  'a\ud800',
  '',
  ' ',
  'x'.repeat(256),
  'x'.repeat(5_000),
  '\u202ea',
  '\u212a',
  null,
  true,
  [],
  {},
  -1,
  1.5,
  2 ** 53,
  1e308,
];

const HOSTILE_OTHERS: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  nest(99),
  nest(102),
  nest(1_000),
  { length: 1e9 },
  { toString: 'x', valueOf: 1 },
  Array.from({ length: 1_001 }, () => 'x'),
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index])),
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_OTHERS) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
