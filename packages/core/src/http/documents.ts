import { createHash } from 'node:crypto';
import type { OtherRoute } from './openapi/description.ts';
import { DESCRIPTIONS } from './openapi/descriptions.ts';
import { renderDocs } from './openapi/docs-page.ts';
import { DOCS_STYLE } from './openapi/docs-style.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { emitOpenApi } from './openapi/emit.ts';
import { type Route, route } from './route.ts';

const PUBLIC = { kind: 'public' } as const;
const STYLE_HASH = createHash('sha256').update(DOCS_STYLE).digest('base64');

/** The page has its style in itself, and nothing else. */
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The description of all routes, these two included, as a document and as a page. It is made when it is first asked
 * for, and then kept.
 */
export function documentRoutes(routes: readonly Route[], others: readonly OtherRoute[]): Route[] {
  let made: { readonly jsonOf: (basePath: string | undefined) => string; readonly page: string } | undefined;
  const make = () => {
    if (made === undefined) {
      const document = emitOpenApi([...routes, ...own], DESCRIPTIONS, others);
      made = { jsonOf: jsonOf(document), page: renderDocs(document) };
    }
    return made;
  };
  const own: Route[] = [
    route({
      method: 'GET',
      path: '/api/openapi.json',
      access: PUBLIC,
      handle: async (_runtime, { request }) => ({
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: make().jsonOf(request.basePath),
      }),
    }),
    route({
      method: 'GET',
      path: '/docs',
      access: PUBLIC,
      handle: async () => ({
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY },
        body: make().page,
      }),
    }),
  ];
  return own;
}

/** The document's text below a mount point. Of its hundreds of kilobytes nothing else depends on the request. */
function jsonOf({ servers: _servers, ...others }: OpenApiDocument): (basePath?: string) => string {
  const text = JSON.stringify(others);
  return (basePath) => `${text.slice(0, -1)},"servers":${JSON.stringify([{ url: basePath || '/' }])}}`;
}
