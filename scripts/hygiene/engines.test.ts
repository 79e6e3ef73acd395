import { expect, test } from 'vitest';
import { findEngineProblems } from './engines.ts';

const needing = (nodeRange: string | undefined) => [{ name: 'thing', version: '1.2.3', nodeRange }];

test.each([
  undefined,
  '*',
  '',
  '>=4',
  '>= 0.8',
  '>=22',
  '^20.19.0 || >=22.12.0',
  '^22.22.0 || >=24.15.0',
  '22.x || 24.x || 26.x',
])('accepts a package that requires Node %s', (range) => {
  expect(findEngineProblems(needing(range))).toEqual([]);
});

test.each([
  ['>=22.23', '>=22.22.0 <23.0.0-0'],
  ['>=24', '>=22.22.0 <23.0.0-0'],
  ['22.x || 24.x', '>=26.10.0 <27.0.0-0'],
  ['>=20 <24 || >=26', '>=24.15.0 <25.0.0-0'],
  ['22.x || >=24.16', '>=24.15.0 <25.0.0-0'],
])('reports a package that requires Node %s', (range, line) => {
  expect(findEngineProblems(needing(range))).toEqual([
    `thing@1.2.3: engines.node "${range}" does not include all of Node ${line}`,
  ]);
});

test('reports a package once for each Node release line that it does not support', () => {
  expect(findEngineProblems(needing('^20 || 24.x'))).toHaveLength(2);
});

test('reports an invalid range', () => {
  expect(findEngineProblems(needing('node 22'))).toEqual([
    'thing@1.2.3: engines.node "node 22" is not a range',
  ]);
});
