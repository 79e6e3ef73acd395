import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkBasePath, createPages, type DashboardOptions, type PageReply } from './reply.ts';

export interface NodeDashboardOptions extends DashboardOptions {
  /** The path of the dashboard, without a trailing slash. Empty for the root. @default '/app' */
  readonly basePath?: string;
}

/**
 * Returns a handler for `node:http` that serves the dashboard.
 * @returns a function that replies to requests below `basePath`, and returns whether it sent a reply
 * @throws RangeError if `basePath` is not a path
 */
export function nodeDashboard({
  basePath = '/app',
  ...options
}: NodeDashboardOptions = {}): (request: IncomingMessage, response: ServerResponse) => boolean {
  checkBasePath(basePath);
  const pages = createPages(options);
  return (request, response) => {
    const target = (request.url ?? '/').split('?', 1)[0] ?? '/';
    if (target !== basePath && !target.startsWith(`${basePath}/`)) return false;
    const path = target.slice(basePath.length) || '/';
    send(
      response,
      request,
      pages({ method: request.method ?? 'GET', basePath, path, header: read(request) }),
    );
    return true;
  };
}

/** Returns a function that reads a header of the request. */
export function read(request: IncomingMessage): (name: string) => string | undefined {
  return (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

/** Sends a reply. The body is left out for `HEAD`. */
export function send(response: ServerResponse, request: IncomingMessage, reply: PageReply): void {
  response.writeHead(reply.status, { ...reply.headers });
  response.end(request.method === 'HEAD' ? undefined : (reply.body ?? undefined));
}
