/** The part of the vitest JSON report that the scripts read. */
export interface VitestReport {
  readonly testResults: readonly {
    /** Absolute path of the test file. */
    readonly name: string;
    readonly status: string;
    /** Epoch milliseconds. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly status: string }[];
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
    .map(({ name, seconds }) => {
      const path = name.startsWith(root) ? name.slice(root.length + 1) : name;
      return `${seconds.toFixed(1).padStart(7)} s  ${path}`;
    });
}
