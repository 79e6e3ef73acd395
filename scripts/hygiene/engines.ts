import { subset, validRange } from 'semver';
import type { InstalledPackage } from './installed.ts';

/** The Node lines that Affkit runs on, each from its first supported version on. */
const SUPPORTED_LINES = ['>=22.22.0 <23.0.0-0', '>=24.15.0 <25.0.0-0'];

/** One sentence for each package that doesn't run on every version of the supported Node lines. */
export function findEngineProblems(packages: readonly InstalledPackage[]): string[] {
  return packages.flatMap(({ name, version, nodeRange }) => {
    if (nodeRange === undefined) return [];
    if (validRange(nodeRange) === null)
      return [`${name}@${version}: engines.node "${nodeRange}" is not a range`];
    return SUPPORTED_LINES.filter((line) => !subset(line, nodeRange)).map(
      (line) => `${name}@${version}: engines.node "${nodeRange}" excludes Node ${line}`,
    );
  });
}
