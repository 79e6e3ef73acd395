/** Must match `engines` in package.json. */
const MINIMUM = { major: 22, minor: 22 };

/**
 * Checks the Node version, because on an older Node the SQLite driver ends the process without an error
 * message.
 * @throws Error when `version` is too old
 */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MINIMUM.major || (major === MINIMUM.major && minor >= MINIMUM.minor)) return;
  throw new Error(`Affkit requires Node ${MINIMUM.major}.${MINIMUM.minor} or newer, got ${version}`);
}
