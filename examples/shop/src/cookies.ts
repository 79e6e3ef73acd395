import type { IncomingMessage } from 'node:http';

/** The cookies of a request by name. If a name occurs twice, the first value counts. */
export function readCookies(request: Pick<IncomingMessage, 'headers'>): ReadonlyMap<string, string> {
  const pairs = (request.headers.cookie ?? '').split(';').flatMap((pair): [string, string][] => {
    const equals = pair.indexOf('=');
    return equals === -1 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]];
  });
  return new Map(pairs.reverse());
}
