import { expect, test } from 'vitest';
import { sum, tallyOf } from './tally.ts';

const report = (...files: { status: string; tests: string[] }[]) => ({
  testResults: files.map(({ status, tests }) => ({
    ...{ name: 'a.test.ts', startTime: 0, endTime: 1, status },
    message: '',
    assertionResults: tests.map((test) => ({ status: test, fullName: 'a test', failureMessages: [] })),
  })),
});

test('counts passed and failed tests', () => {
  const files = report(
    { status: 'passed', tests: ['passed', 'passed'] },
    { status: 'failed', tests: ['passed', 'failed', 'failed'] },
  );
  expect(tallyOf(files, 1)).toEqual({ passed: 3, failed: 2 });
});

test.each(['skipped', 'pending', 'todo', 'disabled'])('counts a %s test as failed', (status) => {
  expect(tallyOf(report({ status: 'passed', tests: ['passed', status] }), 0)).toEqual({
    passed: 1,
    failed: 1,
  });
});

test('counts a file as failed if it cannot be loaded', () => {
  const files = report({ status: 'failed', tests: [] }, { status: 'passed', tests: ['passed'] });
  expect(tallyOf(files, 1)).toEqual({ passed: 1, failed: 1 });
});

test('counts a file as failed if it fails after its tests have passed', () => {
  expect(tallyOf(report({ status: 'failed', tests: ['passed'] }), 1)).toEqual({ passed: 1, failed: 1 });
});

test('counts an error outside the tests as failed', () => {
  expect(tallyOf(report({ status: 'passed', tests: ['passed'] }), 1)).toEqual({ passed: 1, failed: 1 });
});

test('counts a run without tests as failed', () => {
  expect(tallyOf(report(), 0)).toEqual({ passed: 0, failed: 1 });
  expect(tallyOf(undefined, 0)).toEqual({ passed: 0, failed: 1 });
});

test('counts a run without a report as failed', () => {
  expect(tallyOf(undefined, 137)).toEqual({ passed: 0, failed: 1 });
});

test('adds tallies up', () => {
  expect(
    sum([
      { passed: 3, failed: 0 },
      { passed: 1, failed: 2 },
    ]),
  ).toEqual({ passed: 4, failed: 2 });
});
