import type { IncomingMessage, ServerResponse } from 'node:http';
import { read, send } from './node.ts';
import { createPages, type DashboardOptions } from './reply.ts';

/** The properties of an Express 4 or 5 request that the adapter uses. */
export interface ExpressRequest extends IncomingMessage {
  readonly baseUrl?: string | undefined;
  readonly path?: string;
}

/**
 * Returns Express middleware that serves the dashboard. Mount it at a path, for example `app.use('/app',
 * expressDashboard())`.
 */
export function expressDashboard(
  options: DashboardOptions = {},
): (request: ExpressRequest, response: ServerResponse) => void {
  const pages = createPages(options);
  return (request, response) => {
    const { method = 'GET', baseUrl: basePath = '', path = '/' } = request;
    send(response, request, pages({ method, basePath, path, header: read(request) }));
  };
}
