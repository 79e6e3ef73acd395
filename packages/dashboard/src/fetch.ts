import { checkBasePath, createPages, type DashboardOptions } from './reply.ts';

export interface FetchDashboardOptions extends DashboardOptions {
  /** Path of the dashboard, without a slash at the end; empty at the root. @default '/app' */
  readonly basePath?: string;
}

/**
 * Returns a fetch-style handler that serves the dashboard. It returns null for a request that is not below
 * `basePath`.
 *
 * @throws RangeError if `basePath` is not a path
 */
export function fetchDashboard({
  basePath = '/app',
  ...options
}: FetchDashboardOptions = {}): (request: Request) => Response | null {
  checkBasePath(basePath);
  const pages = createPages(options);
  return (request) => {
    const { pathname } = new URL(request.url);
    if (pathname !== basePath && !pathname.startsWith(`${basePath}/`)) return null;
    const { status, headers, body } = pages({
      method: request.method,
      basePath,
      path: pathname.slice(basePath.length) || '/',
      header: (name) => request.headers.get(name) ?? undefined,
    });
    const content = body === null || request.method === 'HEAD' ? null : new Uint8Array(body);
    return new Response(content, { status, headers });
  };
}
