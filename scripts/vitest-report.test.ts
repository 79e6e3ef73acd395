import { expect, test } from 'vitest';
import { listFailures, listSlowestFiles, parseReport } from './vitest-report.ts';

const file = (name: string, ms: number) => ({
  name,
  status: 'passed',
  startTime: 1_000,
  endTime: 1_000 + ms,
  message: '',
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

test('lists failed tests, and files that failed outside their tests, with the start of their errors', () => {
  const passed = { status: 'passed', fullName: 'suite adds', failureMessages: [] };
  const failed = {
    status: 'failed',
    fullName: 'suite subtracts',
    failureMessages: ['wrong sum\n  at /node_modules/x\n  at a\n  at b'],
  };
  const skipped = { status: 'skipped', fullName: 'suite divides', failureMessages: [] };
  const testResults = [
    { ...file('/repo/a.test.ts', 10), status: 'failed', assertionResults: [passed, failed, skipped] },
    { ...file('/repo/b.test.ts', 10), status: 'failed', message: 'cannot import' },
    { ...file('/repo/c.test.ts', 10), assertionResults: [passed] },
  ];
  expect(listFailures({ testResults }, '/repo', 2)).toEqual([
    'a.test.ts > suite subtracts\n  wrong sum\n    at a',
    'a.test.ts > suite divides\n  skipped',
    'b.test.ts\n  cannot import',
  ]);
});
