import type { VitestReport } from './vitest-report.ts';

/** The result of a step or of a whole run. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts the tests of a vitest report. The following also count as failed: a skipped or unfinished test, a
 * file that failed outside its tests, and a run that reported an error or ran no test.
 */
export function tallyOf(report: VitestReport | undefined, exitCode: number): Tally {
  const results = report?.testResults ?? [];
  const tests = results.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const brokenFiles = results.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status === 'passed'),
  );
  const failed = tests.length - passed + brokenFiles.length;
  const somethingElseFailed = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: somethingElseFailed ? 1 : failed };
}

/** The tally of one command, which passes or fails as a whole. */
export function tallyOfCode(exitCode: number): Tally {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Adds tallies up. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, tally) => ({ passed: total.passed + tally.passed, failed: total.failed + tally.failed }),
    { passed: 0, failed: 0 },
  );
}
