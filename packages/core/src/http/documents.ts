import { createHash } from 'node:crypto';
import type { OtherRoute } from './openapi/description.ts';
import { DESCRIPTIONS } from './openapi/descriptions.ts';
import { renderDocs } from './openapi/docs-page.ts';
import { DOCS_SCRIPT } from './openapi/docs-script.ts';
import { DOCS_STYLE } from './openapi/docs-style.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { emitOpenApi } from './openapi/emit.ts';
import { type Route, route } from './route.ts';

const PUBLIC = { kind: 'public' } as const;
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page loads no resources; only its own inline style and script are allowed. */
const PAGE_POLICY = `default-src 'none'; style-src ${hashOf(DOCS_STYLE)}; script-src ${hashOf(DOCS_SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The OpenAPI document of all routes, including these two, and its page. Both are built on first use and
 * cached.
 */
export function documentRoutes(routes: readonly Route[], otherRoutes: readonly OtherRoute[]): Route[] {
  let cached:
    | { readonly jsonOf: (basePath: string | undefined) => string; readonly page: string }
    | undefined;
  const build = () => {
    if (cached === undefined) {
      const document = emitOpenApi([...routes, ...documents], DESCRIPTIONS, otherRoutes);
      cached = { jsonOf: serializer(document), page: renderDocs(document) };
    }
    return cached;
  };
  const documents: Route[] = [
    route({
      method: 'GET',
      path: '/api/openapi.json',
      access: PUBLIC,
      handle: async (_runtime, { request }) => ({
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: build().jsonOf(request.basePath),
      }),
    }),
    route({
      method: 'GET',
      path: '/docs',
      access: PUBLIC,
      handle: async () => ({
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY },
        body: build().page,
      }),
    }),
  ];
  return documents;
}

/**
 * Serializes the document once, because it has hundreds of kilobytes and only `servers` depends on the
 * request.
 */
function serializer({ servers: _servers, ...rest }: OpenApiDocument): (basePath?: string) => string {
  const text = JSON.stringify(rest);
  return (basePath) => `${text.slice(0, -1)},"servers":${JSON.stringify([{ url: basePath || '/' }])}}`;
}
