/** The result of a step or of a whole run. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** The fields of Vitest's JSON report that are read here. */
interface VitestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * Counts the tests of a Vitest report. Skipped tests and todos count as failed, because they prove nothing. A
 * file that failed outside its tests counts as one failure, and so does a run with an error or without tests.
 */
export function tallyOf(report: string | undefined, exitCode: number): Tally {
  const results = report === undefined ? [] : parse(report).testResults;
  const tests = results.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const brokenFiles = results.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status === 'passed'),
  );
  const failed = tests.length - passed + brokenFiles.length;
  const somethingElseFailed = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: somethingElseFailed ? 1 : failed };
}

/** Counts a step that passes or fails as a whole. */
export function tallyOfCode(exitCode: number): Tally {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function parse(report: string): VitestReport {
  const value: unknown = JSON.parse(report);
  if (typeof value === 'object' && value !== null && 'testResults' in value) {
    // Vitest exports no type for the report. The shape is the one of the version in the lockfile.
    return value as VitestReport;
  }
  throw new Error('The Vitest report has no testResults');
}

/** Adds tallies up. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, tally) => ({ passed: total.passed + tally.passed, failed: total.failed + tally.failed }),
    { passed: 0, failed: 0 },
  );
}
