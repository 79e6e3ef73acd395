const FORM = 'postgres://user:password@host:port/database';
const HINT = 'characters such as @ and # in the password must be percent-encoded';

/**
 * Refuses what the driver would take for the database of this machine, or for another than is meant.
 * @throws RangeError without the value, for it may hold a password
 */
export function requirePostgresUrl(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new RangeError(
      `connectionString is ${value === undefined ? 'missing' : 'empty'}: it must be ${FORM}`,
    );
  }
  if (!/^postgres(ql)?:\/\//.test(value)) {
    throw new RangeError(`connectionString must begin with postgres:// or postgresql://: ${FORM}`);
  }
  // A user on a socket has no host, which the driver takes, and the standard for URLs does not.
  const url = URL.parse(value) ?? URL.parse(value.replace('@/', '@socket/'));
  if (url === null || isCut(url)) throw new RangeError(`connectionString can't be read as ${FORM}: ${HINT}`);
  return value;
}

/** What stands behind the first #, / or ? is no password any more, and the user before it would be the host. */
function isCut({ hash, username, pathname, search }: URL): boolean {
  return hash !== '' || (username === '' && (pathname.includes('@') || /^[^=]*@/.test(search)));
}
