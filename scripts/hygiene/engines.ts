import { subset, validRange } from 'semver';
import type { InstalledPackage } from './installed.ts';

/** The Node release lines that Affkit supports, each from its first supported version. */
const SUPPORTED_LINES = ['>=22.22.0 <23.0.0-0', '>=24.15.0 <25.0.0-0', '>=26.10.0 <27.0.0-0'];

/** Returns a message for each package that does not run on every supported Node version. */
export function findEngineProblems(
  packages: readonly Pick<InstalledPackage, 'name' | 'version' | 'nodeRange'>[],
): string[] {
  return packages.flatMap(({ name, version, nodeRange }) => {
    if (nodeRange === undefined) return [];
    if (validRange(nodeRange) === null)
      return [`${name}@${version}: engines.node "${nodeRange}" is not a range`];
    return SUPPORTED_LINES.filter((line) => !subset(line, nodeRange)).map(
      (line) => `${name}@${version}: engines.node "${nodeRange}" does not include all of Node ${line}`,
    );
  });
}
