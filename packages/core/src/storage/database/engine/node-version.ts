/** Must match `engines` in package.json. */
const MINIMUM_NODE_VERSION = { major: 22, minor: 22 };

/**
 * Checks the version of Node. On an older Node, the SQLite driver would end the process without an error
 * message.
 * @throws Error when `version` is too old
 */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (
    major > MINIMUM_NODE_VERSION.major ||
    (major === MINIMUM_NODE_VERSION.major && minor >= MINIMUM_NODE_VERSION.minor)
  )
    return;
  throw new Error(
    `Affkit requires Node ${MINIMUM_NODE_VERSION.major}.${MINIMUM_NODE_VERSION.minor} or newer, got ${version}`,
  );
}
