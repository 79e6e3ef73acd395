/** As `engines` in package.json has it. */
const LEAST = { major: 22, minor: 22 };

/**
 * On an older Node the driver of SQLite ends the process without a word.
 * @throws when the version is too old
 */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor)) return;
  throw new Error(`Affkit needs Node ${LEAST.major}.${LEAST.minor} or newer, and this is ${version}`);
}
