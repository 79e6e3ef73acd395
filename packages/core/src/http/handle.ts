import { type Access, acceptsSession } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import { resolveAccess } from '../access/resolve-access.ts';
import { isRejection, Rejection, Unavailable } from '../rejection.ts';
import type { Author, Runtime } from '../runtime.ts';
import type { Limiters, WithoutSlot } from './concurrency-limiter.ts';
import { crossOriginHeaders, isPreloaded, PREFLIGHT_HEADERS } from './cors-headers.ts';
import type { HttpReply, HttpRequest } from './message.ts';
import { observeRequest, runUseCase } from './observe-request.ts';
import { parse, parseFields, parsePathParams, queryFields } from './parse.ts';
import { changedCookie, withReplicaReads } from './replica-reads.ts';
import { errorReply } from './reply.ts';
import { makeRequestId } from './request-id.ts';
import {
  type BodyFields,
  MAX_ROUTE_BODY_BYTES,
  type Reply,
  type Route,
  routeRecordsAuthor,
} from './route.ts';
import type { RouteMatch, Router } from './router.ts';
import { readCredentials } from './session-cookie.ts';

/**
 * If the body takes longer than this to arrive, the caller's access is checked again. Otherwise, a client that
 * withholds the body could still use a credential or a role some time after it was revoked.
 */
const MAX_CALLER_AGE_MS = 1_000;
const NO_BYTES = new Uint8Array();

/** Decides whether to process a request, for example by a rate limit. Null admits the request. */
export type Admit = (request: HttpRequest) => Promise<{ readonly retryAfterSeconds: number } | null>;

export interface Service {
  readonly runtime: Runtime;
  readonly router: Router;
  readonly limiters: Limiters;
  /** Logs a warning about requests that get a 503. */
  readonly warnUnavailable: (reason: Unavailable, message: string) => void;
  readonly admit: Admit | undefined;
}

/** Handles a request according to the route table. @returns null if no route has its path */
export async function handleRequest(service: Service, request: HttpRequest): Promise<HttpReply | null> {
  const match = service.router.match(request.path);
  if (!match) return null;
  const requestId = request.requestId ?? makeRequestId();
  const { telemetry } = service.runtime;
  const reply =
    telemetry?.tracing === undefined
      ? await dispatch(service, match, request, requestId)
      : await observeRequest(telemetry, { match, request, requestId }, () =>
          dispatch(service, match, request, requestId),
        );
  const headers: Record<string, string> = { ...reply.headers, 'x-request-id': requestId };
  if (match.isPersonal) headers['cache-control'] = 'no-store';
  return { ...reply, headers };
}

async function dispatch(
  service: Service,
  match: RouteMatch,
  request: HttpRequest,
  requestId: string,
): Promise<HttpReply> {
  const { runtime, limiters, warnUnavailable } = service;
  const { isCrossOrigin } = match;
  const headers = isCrossOrigin ? crossOriginHeaders(request) : {};
  if (isCrossOrigin && request.method === 'OPTIONS') {
    return { status: 204, headers: { ...headers, ...PREFLIGHT_HEADERS }, body: null };
  }
  const route = match.routes.get(request.method === 'HEAD' ? 'GET' : request.method);
  if (!route) {
    return errorReply(new Rejection('method_not_allowed'), requestId, { ...headers, allow: allowOf(match) });
  }
  try {
    const outcome = await limiters[route.limiter ?? 'default'].run((withoutSlot) =>
      runRoute(service, { route, params: match.params, request, requestId }, withoutSlot),
    );
    if (isRejection(outcome)) return rejectionReply(runtime, route, outcome, requestId, headers);
    return {
      status: outcome.status ?? 200,
      headers: outcome.headers ? { ...headers, ...outcome.headers } : headers,
      ...(outcome.cookies && { cookies: outcome.cookies }),
      body: outcome.body,
    };
  } catch (error) {
    if (error instanceof Unavailable) {
      warnUnavailable(error, `answered 503: ${error.message}`);
      return rejectionReply(runtime, route, new Rejection('unavailable'), requestId, headers);
    }
    const fields = { err: error, request_id: requestId, path: route.path };
    // A client that closes the connection is not a failure of the service, so it is not logged as an error.
    if (error instanceof Error && error.name === 'AbortError')
      runtime.log.info(fields, 'the client closed the connection');
    else runtime.log.error(fields, 'request failed');
    const failure = new Rejection(route.failure ?? 'internal_error');
    return rejectionReply(runtime, route, failure, requestId, headers);
  }
}

/** Returns the reply to a rejected request. Counts rejected tracking calls in a metric. */
function rejectionReply(
  { telemetry }: Runtime,
  { tracks }: Route,
  rejection: Rejection,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): HttpReply {
  if (tracks !== undefined) {
    telemetry?.measure('affkit.tracking.rejections', 1, { route: tracks, code: rejection.code });
  }
  return errorReply(rejection, requestId, headers);
}

/**
 * The value of the `Allow` header: all methods that the path accepts. HEAD and OPTIONS have no routes of their
 * own.
 */
function allowOf({ routes, isCrossOrigin }: RouteMatch): string {
  const methods = [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...methods, ...(isCrossOrigin ? ['OPTIONS'] : [])].join(', ');
}

/** The arguments of any route's handler, without the types that are specific to the route. */
type AnyCall = Parameters<Route['handle']>[1];

interface MatchedRequest extends Pick<AnyCall, 'request' | 'requestId'> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

async function runRoute(
  { runtime, admit }: Service,
  { route, params, request, requestId }: MatchedRequest,
  withoutSlot: WithoutSlot,
): Promise<Reply | Rejection> {
  if (route.crossOrigin && isPreloaded(request)) return new Rejection('page_not_shown');
  // A route that accepts no session must ignore the session cookie, because visitors of the embedding app
  // send the cookie with every request.
  const credentials = acceptsSession(route.access)
    ? readCredentials(runtime, request)
    : { authorization: request.header('authorization') };
  const authenticate = () => resolveAccess(runtime, route.access, credentials, params);
  const caller = await authenticate();
  // The rate limit applies to every request without a valid credential. An invalid or ignored credential must
  // not bypass the limit.
  const isLimited = route.crossOrigin || route.isRateLimited;
  if (admit && isLimited && (caller === null || isRejection(caller))) {
    const throttled = await admit(request);
    if (throttled) return new Rejection('rate_limited', undefined, throttled);
  }
  if (isRejection(caller) && route.access.kind !== 'optional_token') return caller;
  const readBytes: HttpRequest['body'] = (limit, reading) => withoutSlot(() => request.body(limit, reading));
  const isReadByHandler = route.readsBytes && route.access.kind === 'public';
  const startedAt = performance.now();
  const bytes =
    route.method === 'GET' || isReadByHandler
      ? NO_BYTES
      : await readBytes(route.maxBodyBytes ?? MAX_ROUTE_BODY_BYTES);
  const isOutdated = performance.now() - startedAt >= MAX_CALLER_AGE_MS;
  const sender = isOutdated && caller !== null && !isRejection(caller) ? await authenticate() : caller;
  if (isRejection(sender) && route.access.kind !== 'optional_token') return sender;
  const fields = route.readsBytes ? {} : parseFields(bytes, route.body);
  const outcome = await processFields(runtime, {
    route,
    params,
    request,
    requestId,
    caller: sender,
    fields,
    readBytes: isReadByHandler ? readBytes : async () => bytes,
  });
  if (isRejection(outcome)) {
    const body = isRejection(fields) ? {} : fields;
    route.onRejected?.({ requestId, caller: sender, body }, outcome);
  }
  return outcome;
}

async function processFields(
  runtime: Runtime,
  {
    route,
    params,
    request,
    requestId,
    caller,
    fields,
    readBytes,
  }: MatchedRequest & Pick<AnyCall, 'caller' | 'readBytes'> & { readonly fields: BodyFields | Rejection },
): Promise<Reply | Rejection> {
  // If both the token and the body are rejected, return the rejection of the token. A handler ignores a
  // rejected token only for a test event, and a body that cannot be parsed is not a test event.
  if (isRejection(fields)) return isRejection(caller) ? caller : fields;
  const authored = withAuthor(runtime, route.access, caller, requestId);
  const input = await parseInput(authored, { route, params, request, caller, fields });
  if (isRejection(input)) return input;
  const reader = route.readsReplica ? withReplicaReads(authored, request) : authored;
  const call = { request, requestId, readBytes, caller, ...input };
  const tracing = runtime.telemetry?.tracing;
  const outcome =
    tracing === undefined
      ? await route.handle(reader, call)
      : await runUseCase(tracing, route, () => route.handle(reader, call));
  const changed = route.method === 'GET' || isRejection(outcome) ? null : changedCookie(authored, request);
  return isRejection(outcome) || changed === null
    ? outcome
    : { ...outcome, cookies: [...(outcome.cookies ?? []), changed] };
}

/** Checks the input in this order: ids in the path, `authorize`, query, body. */
async function parseInput(
  runtime: Runtime,
  {
    route,
    params,
    request,
    caller,
    fields,
  }: Omit<MatchedRequest, 'requestId'> & Pick<AnyCall, 'caller'> & { readonly fields: BodyFields },
): Promise<Pick<AnyCall, 'params' | 'resource' | 'query' | 'body'> | Rejection> {
  const values = parsePathParams(params);
  if (isRejection(values)) return values;
  const resource = route.authorize && (await route.authorize(runtime, { request, caller, params: values }));
  if (isRejection(resource)) return resource;
  const query = route.query && parse(route.query, queryFields(request.query));
  if (isRejection(query)) return query;
  const body = route.body && !('parsedByHandler' in route.body) ? parse(route.body, fields) : fields;
  return isRejection(body) ? body : { params: values, resource, query, body };
}

/**
 * Returns a runtime that records the caller as the author of all changes. Returns the runtime unchanged if the
 * changes of the route have no author.
 */
function withAuthor(runtime: Runtime, access: Access, caller: unknown, requestId: string): Runtime {
  if (!routeRecordsAuthor(access)) return runtime;
  // For these kinds of access, the caller is an actor, or an object that contains the actor.
  const named = caller as Actor | { readonly actor: Actor };
  const actor = 'actor' in named ? named.actor : named;
  const author: Author =
    actor.kind === 'key'
      ? { kind: 'key', id: actor.keyId, requestId }
      : { kind: 'user', id: actor.user.id, requestId };
  return { ...runtime, author };
}
