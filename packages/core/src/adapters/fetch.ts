import type { Affkit } from '../create-affkit.ts';
import type { BodyReading, HttpRequest } from '../http/message.ts';
import { makeErrorReply } from '../http/reply.ts';
import { makeRequestId } from '../http/request-id.ts';
import { normalizeBasePath, stripBasePath } from './base-path.ts';
import { BodyBytes } from './body-bytes.ts';
import { normalizeIp } from './normalize-ip.ts';
import { BodyAlreadyRead, isStream, serialize } from './response-body.ts';

/**
 * @typeParam Context the additional arguments that the runtime passes to the handler, such as Bun's server or
 * Deno's connection info
 */
export interface FetchAdapterOptions<Context extends unknown[] = unknown[]> {
  /**
   * The path at which Affkit is mounted, such as `/affiliates`. Requests outside of this path get a 404.
   * @default the root
   */
  readonly basePath?: string;
  /**
   * Returns the visitor's IP address, or null if it is unknown. A `Request` does not contain the IP address.
   * Without IP addresses, clicks have no location, and all clients share the same rate limits.
   *
   * @default unknown
   */
  readonly ip?: (request: Request, ...context: Context) => string | null;
  /** Whether the visitor used HTTPS. @default whether the request's URL begins with `https:` */
  readonly secure?: (request: Request, ...context: Context) => boolean;
  /** Returns the request id for logs and `X-Request-Id`. @default a generated id */
  readonly requestId?: (request: Request, ...context: Context) => string | undefined;
}

/**
 * Returns a function that handles a `Request` and returns a `Response`, for runtimes and frameworks based on
 * the Fetch API. If other code has already read a body that Affkit needs, the function rejects with
 * `BodyAlreadyRead`.
 * @throws RangeError when `basePath` is not a path
 */
export function fetchAdapter<Context extends unknown[] = unknown[]>(
  affkit: Pick<Affkit, 'handle'>,
  options: FetchAdapterOptions<Context> = {},
): (request: Request, ...context: Context) => Promise<Response> {
  const base = normalizeBasePath(options.basePath);
  return async (request, ...context) => {
    const url = new URL(request.url);
    const ip = options.ip?.(request, ...context) ?? null;
    const requestId = options.requestId?.(request, ...context);
    const path = stripBasePath(base, url.pathname);
    let bodyError: BodyAlreadyRead | undefined;
    const message: HttpRequest = {
      method: request.method,
      path: path ?? url.pathname,
      basePath: base,
      query: url.searchParams,
      header: (name) => request.headers.get(name) ?? (name === 'host' ? url.host : undefined),
      body: async (limit, reading) => {
        if (!request.bodyUsed) return readBody(request, limit, reading);
        bodyError = new BodyAlreadyRead();
        throw bodyError;
      },
      ip: ip === null ? null : normalizeIp(ip),
      secure: options.secure?.(request, ...context) ?? url.protocol === 'https:',
      ...(requestId !== undefined && { requestId }),
    };
    const reply =
      (path === null ? null : await affkit.handle(message)) ??
      makeErrorReply('route_not_found', requestId ?? makeRequestId());
    if (bodyError) throw bodyError;
    const { body, contentType } = serialize(reply);
    const headers = new Headers(contentType === null ? {} : { 'content-type': contentType });
    for (const [name, value] of Object.entries(reply.headers)) headers.set(name, value);
    for (const cookie of reply.cookies ?? []) headers.append('set-cookie', cookie);
    const isHead = request.method === 'HEAD';
    if (isHead && isStream(body)) void body.cancel();
    return new Response(isHead ? null : body, { status: reply.status, headers });
  };
}

async function readBody(
  request: Request,
  limit: number,
  { onProgress, signal }: BodyReading = {},
): Promise<Uint8Array | 'too_large'> {
  if (Number(request.headers.get('content-length')) > limit) return 'too_large';
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const bytes = new BodyBytes(limit);
  // An error of `cancel` is ignored, because it does not change the result.
  const cancel = () => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A canceled stream also reports `done`, so check for the abort first.
      signal?.throwIfAborted();
      if (done) return bytes.all();
      if (bytes.add(value)) {
        onProgress?.(bytes.length);
        continue;
      }
      cancel();
      return 'too_large';
    }
  } catch (error) {
    if (isPayloadTooLarge(error)) return 'too_large';
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

/**
 * Whether the stream failed because the body exceeds a limit of the host framework. For example, SvelteKit ends the
 * stream with an error whose `status` is 413.
 */
function isPayloadTooLarge(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 413;
}
