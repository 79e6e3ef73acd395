/** What a step or a whole run came to. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** The part that is read of what vitest's JSON reporter writes. */
interface VitestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * Counts a vitest report. A test that was skipped or is still to be written counts as failed, since nothing
 * was proved; so does a file that failed outside its tests, and a run in which vitest reported an error or
 * ran nothing at all.
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

/** Counts what is one thing: it passes or fails as a whole. */
export function tallyOfCode(exitCode: number): Tally {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function parse(report: string): VitestReport {
  const value: unknown = JSON.parse(report);
  if (typeof value === 'object' && value !== null && 'testResults' in value) {
    // The shape is that of the vitest version in the lockfile; its reporter has no exported type.
    return value as VitestReport;
  }
  throw new Error('The vitest report has no testResults');
}

/** Adds up. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, tally) => ({ passed: total.passed + tally.passed, failed: total.failed + tally.failed }),
    { passed: 0, failed: 0 },
  );
}
