import { hash } from 'node:crypto';
import type { OtherRoute } from './openapi/description.ts';
import { DESCRIPTIONS } from './openapi/descriptions.ts';
import { renderDocs } from './openapi/docs-page.ts';
import { DOCS_SCRIPT } from './openapi/docs-script.ts';
import { DOCS_STYLE } from './openapi/docs-style.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { emitOpenApi } from './openapi/operations.ts';
import { type Route, route } from './route.ts';
import { StaticDocument } from './static-document.ts';

const PUBLIC_ROUTE_ACCESS = { kind: 'public' } as const;
const cspHashOf = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;

/** The page loads no resources. Only its own inline style and script are allowed. */
const PAGE_POLICY = `default-src 'none'; style-src ${cspHashOf(DOCS_STYLE)}; script-src ${cspHashOf(DOCS_SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The maximum number of base paths whose OpenAPI documents are cached. An app has several base paths only if
 * the mount path differs between requests.
 */
const MAX_BASE_PATHS = 16;

/**
 * The routes of the OpenAPI document and of the page that shows it. The document covers all routes, including these
 * two. The document and the page are built on first use and then cached.
 */
export function documentRoutes(routes: readonly Route[], otherRoutes: readonly OtherRoute[]): Route[] {
  let cached:
    | { readonly openApiOf: (basePath: string) => StaticDocument; readonly page: StaticDocument }
    | undefined;
  const build = () => {
    if (cached === undefined) {
      const document = emitOpenApi([...routes, ...documents], DESCRIPTIONS, otherRoutes);
      const page = new StaticDocument(renderDocs(document), {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PAGE_POLICY,
        'cache-control': 'no-cache',
      });
      cached = { openApiOf: cacheByBasePath(document), page };
    }
    return cached;
  };
  const documents: Route[] = [
    route({
      method: 'GET',
      path: '/api/openapi.json',
      access: PUBLIC_ROUTE_ACCESS,
      handle: async (_runtime, { request }) =>
        build()
          .openApiOf(request.basePath || '/')
          .reply((name) => request.header(name)),
    }),
    route({
      method: 'GET',
      path: '/docs',
      access: PUBLIC_ROUTE_ACCESS,
      handle: async (_runtime, { request }) => build().page.reply((name) => request.header(name)),
    }),
  ];
  return documents;
}

/** Caches one document for each base path, because the document depends on nothing else in the request. */
function cacheByBasePath({ servers: _servers, ...rest }: OpenApiDocument): (path: string) => StaticDocument {
  const text = JSON.stringify(rest);
  const cache = new Map<string, StaticDocument>();
  return (basePath) => {
    const known = cache.get(basePath);
    if (known) return known;
    const content = `${text.slice(0, -1)},"servers":${JSON.stringify([{ url: basePath }])}}`;
    const document = new StaticDocument(content, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
    });
    const [oldest] = cache.keys();
    if (oldest !== undefined && cache.size >= MAX_BASE_PATHS) cache.delete(oldest);
    cache.set(basePath, document);
    return document;
  };
}
