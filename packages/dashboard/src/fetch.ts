import { checkBasePath, createPages, type DashboardOptions } from './reply.ts';

export interface FetchDashboardOptions extends DashboardOptions {
  /** The path of the dashboard, without a trailing slash. Empty for the root. @default '/app' */
  readonly basePath?: string;
}

/**
 * Returns a handler for the Fetch API that serves the dashboard. For a request outside of `basePath`, it
 * returns null.
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
