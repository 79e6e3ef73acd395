import { expect, test } from 'vitest';
import { sum, tallyOf } from './tally.ts';

const report = (...files: { status: string; tests: string[] }[]) =>
  JSON.stringify({
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((test) => ({ status: test })),
    })),
  });

test('each test counts', () => {
  const files = report(
    { status: 'passed', tests: ['passed', 'passed'] },
    { status: 'failed', tests: ['passed', 'failed', 'failed'] },
  );
  expect(tallyOf(files, 1)).toEqual({ passed: 3, failed: 2 });
});

test.each(['skipped', 'pending', 'todo', 'disabled'])('a test that is %s counts as failed', (status) => {
  expect(tallyOf(report({ status: 'passed', tests: ['passed', status] }), 0)).toEqual({
    passed: 1,
    failed: 1,
  });
});

test('a file that cannot be loaded counts as failed', () => {
  const files = report({ status: 'failed', tests: [] }, { status: 'passed', tests: ['passed'] });
  expect(tallyOf(files, 1)).toEqual({ passed: 1, failed: 1 });
});

test('a file that fails after its tests have passed counts as failed', () => {
  expect(tallyOf(report({ status: 'failed', tests: ['passed'] }), 1)).toEqual({ passed: 1, failed: 1 });
});

test('an error outside the tests counts as failed', () => {
  expect(tallyOf(report({ status: 'passed', tests: ['passed'] }), 1)).toEqual({ passed: 1, failed: 1 });
});

test('a run without tests counts as failed', () => {
  expect(tallyOf(report(), 0)).toEqual({ passed: 0, failed: 1 });
  expect(tallyOf(undefined, 0)).toEqual({ passed: 0, failed: 1 });
});

test('a run that ends without a report counts as failed', () => {
  expect(tallyOf(undefined, 137)).toEqual({ passed: 0, failed: 1 });
});

test('a report of another shape is not taken for an empty one', () => {
  expect(() => tallyOf('{}', 0)).toThrow('testResults');
});

test('tallies add up', () => {
  expect(
    sum([
      { passed: 3, failed: 0 },
      { passed: 1, failed: 2 },
    ]),
  ).toEqual({ passed: 4, failed: 2 });
});
