import { expect, test } from 'vitest';
import { listSlowestFiles, parseReport } from './vitest-report.ts';

const file = (name: string, ms: number) => ({
  name,
  status: 'passed',
  startTime: 1_000,
  endTime: 1_000 + ms,
  assertionResults: [],
});

test('lists the slowest files first, with paths from the root folder', () => {
  const testResults = [
    file('/repo/a.test.ts', 1_250),
    file('/repo/b.test.ts', 61_000),
    file('/c.test.ts', 10),
  ];
  expect(listSlowestFiles({ testResults }, '/repo', 2)).toEqual([
    '   61.0 s  b.test.ts',
    '    1.3 s  a.test.ts',
  ]);
  expect(listSlowestFiles({ testResults }, '/repo')).toHaveLength(3);
});

test('throws on a report of another shape', () => {
  expect(() => parseReport('{}')).toThrow('testResults');
});
