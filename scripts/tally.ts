import { parseReport } from './vitest-report.ts';

/** What a step or a whole run came to. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts a vitest report. A test that was skipped or is still to be written counts as failed, since nothing
 * was proved; so does a file that failed outside its tests, and a run in which vitest reported an error or
 * ran nothing at all.
 */
export function tallyOf(report: string | undefined, exitCode: number): Tally {
  const results = report === undefined ? [] : parseReport(report).testResults;
  const tests = results.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const brokenFiles = results.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status === 'passed'),
  );
  const failed = tests.length - passed + brokenFiles.length;
  const somethingElseFailed = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: somethingElseFailed ? 1 : failed };
}

/** Counts what is one thing: it passes or fails as a whole. */
export function tallyOfCode(exitCode: number): Tally {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Adds up. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, tally) => ({ passed: total.passed + tally.passed, failed: total.failed + tally.failed }),
    { passed: 0, failed: 0 },
  );
}
