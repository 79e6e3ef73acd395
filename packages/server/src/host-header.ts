import type { IncomingMessage } from 'node:http';

/**
 * Whether a request has more than one `Host` header. HTTP requires a 400 for such a request. Node uses the
 * first header, but a proxy may have used another.
 */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
