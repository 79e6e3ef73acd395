/** The part of the vitest JSON report that the scripts read. */
export interface VitestReport {
  readonly testResults: readonly {
    /** Absolute path of the test file. */
    readonly name: string;
    readonly status: string;
    /** Epoch milliseconds. */
    readonly startTime: number;
    readonly endTime: number;
    /** Why the file failed outside its tests, or an empty string. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      /** The titles of the suites and of the test. */
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** @throws Error when the text is not a vitest report */
export function parseReport(report: string): VitestReport {
  const value: unknown = JSON.parse(report);
  if (typeof value === 'object' && value !== null && 'testResults' in value) {
    // The JSON reporter exports no type. The shape matches the vitest version in the lockfile.
    return value as VitestReport;
  }
  throw new Error('The vitest report has no testResults');
}

/** The files that took longest, slowest first: one line each, with seconds and the path from `root`. */
export function listSlowestFiles({ testResults }: VitestReport, root: string, count = 10): string[] {
  return testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${pathFrom(root, name)}`);
}

/**
 * Returns a text for each test that did not pass, and for each file that failed outside its tests. The text consists of
 * the path from `root`, the name of the test if there is one, and the first lines of the error. Stack frames of
 * dependencies are left out.
 */
export function listFailures({ testResults }: VitestReport, root: string, lines = 12): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const path = pathFrom(root, name);
    const tests = assertionResults
      .filter((test) => test.status !== 'passed')
      .map((test) => ({
        title: `${path} > ${test.fullName}`,
        error: test.failureMessages[0] ?? test.status,
      }));
    const failures = tests.length === 0 && status === 'failed' ? [{ title: path, error: message }] : tests;
    return failures.map(({ title, error }) => {
      const ownLines = error.split('\n').filter((line) => !line.includes('/node_modules/'));
      return [title, ...ownLines.slice(0, lines).map((line) => `  ${line}`)].join('\n');
    });
  });
}

function pathFrom(root: string, name: string): string {
  return name.startsWith(root) ? name.slice(root.length + 1) : name;
}
