import { join, relative, resolve } from 'node:path';

/** The URL of the database that the demo creates in its data folder by default. */
export function defaultDatabaseUrl(folder: string): string {
  return `sqlite:${join(folder, 'affkit.db')}`;
}

/** Formats a result of `normalizeDatabaseUrl` for messages, with an absolute path for SQLite. */
export function describeDatabase(name: string, folder: string): string {
  return name.startsWith('sqlite:') ? `sqlite:${resolve(folder, name.slice('sqlite:'.length))}` : name;
}

/**
 * A name that identifies a database, without user and password. The path of a file in the data folder is
 * relative, so that the folder can be moved. Undefined for URLs that the server does not accept.
 */
export function normalizeDatabaseUrl(url: string, folder: string): string | undefined {
  if (url.startsWith('sqlite:')) {
    const path = resolve(url.slice('sqlite:'.length));
    const inside = relative(folder, path);
    return `sqlite:${inside.startsWith('..') ? path : inside}`;
  }
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  // Without a database name in the URL, Postgres uses the user name.
  return `postgres://${host}:${searchParams.get('port') ?? (port || 5432)}/${pathname.slice(1) || username}`;
}
