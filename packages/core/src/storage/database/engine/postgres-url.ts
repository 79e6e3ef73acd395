const POSTGRES_URL_FORMAT = 'postgres://user:password@host:port/database';
const POSTGRES_URL_HINT = 'percent-encode characters such as @ and # in the password';

/**
 * Rejects connection strings that the driver accepts but misreads. The driver would connect to another database, such
 * as the default database on this machine.
 * @returns `value`
 * @throws RangeError, whose message does not contain the value, because the value may contain a password
 */
export function requirePostgresUrl(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new RangeError(
      `connectionString is ${value === undefined ? 'missing' : 'empty'}: it must be ${POSTGRES_URL_FORMAT}`,
    );
  }
  if (!/^postgres(ql)?:\/\//.test(value)) {
    throw new RangeError(
      `connectionString must begin with postgres:// or postgresql://: ${POSTGRES_URL_FORMAT}`,
    );
  }
  const url = parsePostgresUrl(value);
  if (url === null || hasUnencodedPassword(url)) {
    throw new RangeError(
      `connectionString is not a valid URL of the form ${POSTGRES_URL_FORMAT}: ${POSTGRES_URL_HINT}`,
    );
  }
  return value;
}

/**
 * Parses the URL of a Postgres database. A URL with a user and a Unix socket has no host. The driver accepts such a URL,
 * but the URL standard does not. The host of the result is then `socket`.
 * @returns null if the URL is not valid
 */
export function parsePostgresUrl(text: string): URL | null {
  // If the URL has a second @ before its parameters, the first @ is part of a password that is not percent-encoded.
  const withoutHost = /^([^@?]*@)(\/[^@?]*(?:\?[^@=]*=|$))/;
  return URL.parse(text) ?? URL.parse(text.replace(withoutHost, '$1socket$2'));
}

/**
 * Whether the password contains an unencoded #, / or ?. Such a character would end the host part of the URL,
 * and the driver would use the user name as the host.
 */
function hasUnencodedPassword({ hash, username, pathname, search }: URL): boolean {
  return hash !== '' || (username === '' && (pathname.includes('@') || /^[^=]*@/.test(search)));
}
