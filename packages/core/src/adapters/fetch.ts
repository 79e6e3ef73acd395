import type { Affkit } from '../create-affkit.ts';
import type { HttpRequest } from '../http/message.ts';
import { makeErrorReply } from '../http/reply.ts';
import { makeRequestId } from '../http/request-id.ts';
import { pathBelow, readBasePath } from './base-path.ts';
import { BodyBytes } from './body-bytes.ts';
import { plainAddress } from './plain-address.ts';
import { BodyAlreadyRead, serialize } from './reply-body.ts';

/** `Context` is what the runtime passes beside the request, e.g. Bun's server or Deno's connection info. */
export interface FetchAdapterOptions<Context extends unknown[] = unknown[]> {
  /** Path under which Affkit stands, such as `/affiliates`; what lies elsewhere is answered 404. @default the root */
  readonly basePath?: string;
  /** The visitor's address, which a Request doesn't carry. @default unknown: no places, one shared rate limit, and failed sign-ins lock nobody out */
  readonly ip?: (request: Request, ...context: Context) => string | null;
  /** Did the visitor come by https? @default whether the request's URL says so */
  readonly secure?: (request: Request, ...context: Context) => boolean;
  /** An id for logs and `X-Request-Id`. @default one is made */
  readonly requestId?: (request: Request, ...context: Context) => string | undefined;
}

/**
 * A handler from Request to Response, for runtimes and frameworks that speak fetch.
 * @throws RangeError at once, for a `basePath` that is no path; the handler BodyAlreadyRead, when somebody else has read
 *   the request's body
 */
export function fetchAdapter<Context extends unknown[] = unknown[]>(
  affkit: Pick<Affkit, 'handle'>,
  options: FetchAdapterOptions<Context> = {},
): (request: Request, ...context: Context) => Promise<Response> {
  const base = readBasePath(options.basePath);
  return async (request, ...context) => {
    const url = new URL(request.url);
    const ip = options.ip?.(request, ...context) ?? null;
    const requestId = options.requestId?.(request, ...context);
    const path = pathBelow(base, url.pathname);
    let misuse: BodyAlreadyRead | undefined;
    const message: HttpRequest = {
      method: request.method,
      path: path ?? url.pathname,
      basePath: base,
      query: url.searchParams,
      header: (name) => request.headers.get(name) ?? (name === 'host' ? url.host : undefined),
      body: async (limit) => {
        if (!request.bodyUsed) return readBody(request, limit);
        misuse = new BodyAlreadyRead();
        throw misuse;
      },
      ip: ip === null ? null : plainAddress(ip),
      secure: options.secure?.(request, ...context) ?? url.protocol === 'https:',
      ...(requestId !== undefined && { requestId }),
    };
    const reply =
      (path === null ? null : await affkit.handle(message)) ??
      makeErrorReply('route_not_found', requestId ?? makeRequestId());
    if (misuse) throw misuse;
    const { body, contentType } = serialize(reply);
    const headers = new Headers(contentType === null ? {} : { 'content-type': contentType });
    for (const [name, value] of Object.entries(reply.headers)) headers.set(name, value);
    return new Response(request.method === 'HEAD' ? null : body, { status: reply.status, headers });
  };
}

async function readBody(request: Request, limit: number): Promise<Uint8Array | 'too_large'> {
  if (Number(request.headers.get('content-length')) > limit) return 'too_large';
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const bytes = new BodyBytes(limit);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.all();
    if (bytes.add(value)) continue;
    // Whether the rest could be refused tidily changes nothing here.
    reader.cancel().catch(() => {});
    return 'too_large';
  }
}
