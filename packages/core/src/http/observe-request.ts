import { isRejection } from '../rejection.ts';
import { type Attributes, SPAN_KINDS } from '../telemetry/open-telemetry.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { markFailed, type Tracing } from '../telemetry/tracing.ts';
import type { HttpReply, HttpRequest } from './message.ts';
import { DESCRIPTIONS } from './openapi/descriptions.ts';
import type { Route } from './route.ts';
import type { RouteMatch } from './router.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Runs a request in a span with the attributes of OpenTelemetry's semantic conventions, and records its
 * duration. The span contains the route's template instead of the path, because paths contain ids. The query
 * and the headers are left out, because they can contain personal data and tokens.
 *
 * The parent span is the active span of the embedding app, or else the span in the header `traceparent`.
 */
export async function observeRequest(
  { tracing, recordRequest }: Telemetry,
  {
    match,
    request,
    requestId,
  }: { readonly match: RouteMatch; readonly request: HttpRequest; readonly requestId: string },
  run: () => Promise<HttpReply>,
): Promise<HttpReply> {
  if (tracing === undefined) return await run();
  const startedAt = performance.now();
  const method = METHODS.has(request.method) ? request.method : '_OTHER';
  const [route] = match.routes.values();
  const attributes: Attributes = {
    'http.request.method': method,
    'http.route': route?.path ?? '',
    'url.scheme': request.secure ? 'https' : 'http',
  };
  const name = `${method === '_OTHER' ? 'HTTP' : method} ${attributes['http.route']}`;
  const hasParent = tracing.activeSpan() !== undefined;
  const options = {
    kind: hasParent ? SPAN_KINDS.internal : SPAN_KINDS.server,
    attributes: { ...attributes, 'affkit.request_id': requestId },
  };
  const observed: Parameters<Tracing['run']>[2] = async (span) => {
    const reply = await run();
    span.setAttributes({ 'http.response.status_code': reply.status });
    if (reply.status >= 500) markFailed(span, String(reply.status));
    return reply;
  };
  const reply = (await (hasParent
    ? tracing.run(name, options, observed)
    : tracing.runRequest(name, options, (header) => request.header(header), observed))) as HttpReply;
  recordRequest?.((performance.now() - startedAt) / 1000, {
    ...attributes,
    'http.response.status_code': reply.status,
    ...(reply.status >= 500 && { 'error.type': String(reply.status) }),
  });
  return reply;
}

/** Runs the handler of a route in a span with the name of the operation, such as `trackClick`. */
export function runUseCase<T>(
  tracing: Tracing,
  { method, path }: Pick<Route, 'method' | 'path'>,
  run: () => Promise<T>,
): Promise<T> {
  const name = DESCRIPTIONS[`${method} ${path as `/${string}`}`]?.id ?? 'handle request';
  return tracing.run(name, {}, async (span) => {
    const outcome = await run();
    if (isRejection(outcome)) span.setAttributes({ 'affkit.error_code': outcome.code });
    return outcome;
  });
}
