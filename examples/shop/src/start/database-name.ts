import { join, relative, resolve } from 'node:path';

/** The database that the demo makes in its data folder when none is named. */
export function defaultDatabaseUrl(folder: string): string {
  return `sqlite:${join(folder, 'affkit.db')}`;
}

/** A name by `nameDatabase` as it is understood from anywhere. */
export function showDatabase(name: string, folder: string): string {
  return name.startsWith('sqlite:') ? `sqlite:${resolve(folder, name.slice('sqlite:'.length))}` : name;
}

/**
 * What tells one database from another, fit to be kept and shown: no user and no password is in it. A file in the
 * data folder is named as seen from there, so that the folder may be moved. Undefined for what the server refuses.
 */
export function nameDatabase(url: string, folder: string): string | undefined {
  if (url.startsWith('sqlite:')) {
    const path = resolve(url.slice('sqlite:'.length));
    const inside = relative(folder, path);
    return `sqlite:${inside.startsWith('..') ? path : inside}`;
  }
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  // Postgres takes the user's name where the URL has none for the database.
  return `postgres://${host}:${searchParams.get('port') ?? (port || 5432)}/${pathname.slice(1) || username}`;
}
