import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLicenseProblems, judgeLicense } from './licenses.ts';

test.each([
  'AGPL-3.0-or-later',
  'AGPL-3.0',
  'GPL-2.0-only',
  'GPL-3.0+',
  'LGPL-2.1',
  'lgpl-3.0-or-later',
  'SSPL-1.0',
  'GPL',
  'GPL-2.0-only WITH Classpath-exception-2.0',
  'MIT AND GPL-3.0',
  '(MIT OR ISC) AND LGPL-3.0-only',
  'AGPL-3.0 OR SSPL-1.0',
  'GPL-2.0 OR MIT AND AGPL-3.0',
])('refuses %s', (license) => {
  expect(judgeLicense(license)).toBe('refused');
});

test.each([
  'MIT',
  'Apache-2.0',
  'BlueOak-1.0.0',
  '0BSD',
  '(MIT OR GPL-3.0)',
  'GPL-3.0-only or MIT',
  'MIT AND (BSD-2-Clause OR LGPL-2.1)',
  'GPL-2.0 AND AGPL-3.0 OR MIT',
  'Apache-2.0 WITH LLVM-exception',
])('allows %s', (license) => {
  expect(judgeLicense(license)).toBe('allowed');
});

test.each([
  '',
  'SEE LICENSE IN LICENSE.md',
  'UNLICENSED',
  'MIT*',
  '(MIT',
  'MIT)',
  'MIT OR',
  'MIT ISC',
  'WITH MIT',
])('cannot parse "%s"', (license) => {
  expect(judgeLicense(license)).toBe('unreadable');
});

const expressions: fc.Arbitrary<string> = fc.letrec<{ expression: string; license: string; joined: string }>(
  (tie) => ({
    license: fc.constantFrom('MIT', 'ISC', 'GPL-3.0-only', 'AGPL-3.0+', 'Apache-2.0 WITH LLVM-exception'),
    joined: fc
      .tuple(tie('expression'), fc.constantFrom('AND', 'OR', 'or'), tie('expression'))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    expression: fc.oneof({ maxDepth: 4 }, tie('license'), tie('joined')),
  }),
).expression;

test('any expression is allowed with "OR MIT" and refused with "AND AGPL-3.0"', () => {
  fc.assert(
    fc.property(expressions, (expression) => {
      expect(judgeLicense(`${expression} OR MIT`)).toBe('allowed');
      expect(judgeLicense(`${expression} AND AGPL-3.0`)).toBe('refused');
      expect(judgeLicense(`(${expression}) AND MIT`)).toBe(judgeLicense(expression));
    }),
  );
});

test('reports each package whose license is refused, missing, or invalid', () => {
  const installed = (name: string, license?: string) => ({ name, version: '1.2.3', license });
  expect(
    findLicenseProblems([
      installed('fine', 'MIT'),
      installed('copyleft', 'AGPL-3.0'),
      installed('silent'),
      installed('unclear', 'SEE LICENSE IN LICENSE'),
    ]),
  ).toEqual([
    'copyleft@1.2.3: the license "AGPL-3.0" is not allowed',
    'silent@1.2.3 has no license',
    'unclear@1.2.3: the license "SEE LICENSE IN LICENSE" is not a valid SPDX expression',
  ]);
});
