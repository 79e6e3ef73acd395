import { withoutAbsent } from '@affkit/protocol';
import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import { resolveAccess } from '../access/resolve-access.ts';
import { isRejection, Rejection, Unavailable } from '../rejection.ts';
import type { Author, Runtime } from '../runtime.ts';
import type { Limiters, WithoutSlot } from './concurrency-limiter.ts';
import { crossOriginHeaders, isLoadedAhead, PREFLIGHT_HEADERS } from './cross-origin.ts';
import type { HttpReply, HttpRequest } from './message.ts';
import { errorReply } from './reply.ts';
import { makeRequestId } from './request-id.ts';
import { type Call, isByActor, MAX_BODY_BYTES, type Route } from './route.ts';
import type { Match, Router } from './router.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Says no to a request before any work is done for it, e.g. a rate limit; null lets it pass. */
export type Admit = (request: HttpRequest) => Promise<{ readonly retryAfterSeconds: number } | null>;

/** What answers requests, and what keeps out too many. */
export interface Service {
  readonly runtime: Runtime;
  readonly router: Router;
  readonly limiters: Limiters;
  /** Tells the operator why requests are answered 503. */
  readonly warnOfRefusal: (reason: Unavailable, message: string) => void;
  readonly admit: Admit | undefined;
}

/** Answers a request by the route table; null when no route has its path. */
export async function handleRequest(service: Service, request: HttpRequest): Promise<HttpReply | null> {
  const match = service.router.match(request.path);
  if (!match) return null;
  const requestId = request.requestId ?? makeRequestId();
  const { status, headers, body } = await answer(service, match, request, requestId);
  const named: Record<string, string> = { ...headers, 'x-request-id': requestId };
  if (match.isPersonal) named['cache-control'] = 'no-store';
  return { status, headers: named, body };
}

async function answer(
  service: Service,
  match: Match,
  request: HttpRequest,
  requestId: string,
): Promise<HttpReply> {
  const { runtime, limiters: rooms, warnOfRefusal } = service;
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
    const outcome = await rooms[route.limiter ?? 'others'].run((aside) =>
      run(service, { route, params: match.params, request, requestId }, aside),
    );
    if (isRejection(outcome)) return errorReply(outcome, requestId, headers);
    return {
      status: outcome.status ?? 200,
      headers: outcome.headers ? { ...headers, ...outcome.headers } : headers,
      body: outcome.body,
    };
  } catch (error) {
    if (error instanceof Unavailable) {
      warnOfRefusal(error, `answered 503: ${error.message}`);
      return errorReply(new Rejection('unavailable'), requestId, headers);
    }
    const fields = { err: error, request_id: requestId, path: route.path };
    // Nobody is there any more to be answered, and nothing is wrong here.
    if (error instanceof Error && error.name === 'AbortError')
      runtime.log.info(fields, 'the client went away');
    else runtime.log.error(fields, 'request failed');
    return errorReply(new Rejection(route.failure ?? 'internal_error'), requestId, headers);
  }
}

/** All methods that the path answers, those without a row in the table too. */
function allowOf({ routes, isCrossOrigin }: Match): string {
  const methods = [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...methods, ...(isCrossOrigin ? ['OPTIONS'] : [])].join(', ');
}

/** What a request asks of a route. */
interface Asked extends Pick<Call, 'params' | 'request' | 'requestId'> {
  readonly route: Route;
}

async function run(
  { runtime, admit }: Service,
  { route, params, request, requestId }: Asked,
  aside: WithoutSlot,
) {
  if (route.crossOrigin && isLoadedAhead(request)) return new Rejection('page_not_shown');
  const caller = await resolveAccess(runtime, route.access, request.header('authorization'), params);
  // A credential that is refused, or that the route does not look at, must not be a way around the limit.
  if (admit && route.crossOrigin && (caller === null || isRejection(caller))) {
    const refused = await admit(request);
    if (refused) return new Rejection('rate_limited', undefined, refused);
  }
  if (isRejection(caller) && route.access.kind !== 'optional_token') return caller;
  const readBytes = (limit: number) => aside(() => request.body(limit));
  const isBodyOurs = route.method !== 'GET' && !route.readsBytes;
  const body = isBodyOurs
    ? parseFields(await readBytes(route.maxBodyBytes ?? MAX_BODY_BYTES), route.nullable ?? [])
    : {};
  // Nothing that can't be read says that it is a test, in which alone a refused token is not looked at.
  if (isRejection(body)) return isRejection(caller) ? caller : body;
  return await route.handle(withAuthor(runtime, route.access, caller, requestId), {
    request,
    requestId,
    readBytes,
    params,
    body,
    caller,
  });
}

/** The runtime of a call whose changes have someone to answer for them. */
function withAuthor(runtime: Runtime, access: Access, caller: unknown, requestId: string): Runtime {
  if (!isByActor(access)) return runtime;
  // `resolveAccess` gives these kinds an actor, beside the program or the partners that the call is about.
  const named = caller as Actor | { readonly actor: Actor };
  const actor = 'actor' in named ? named.actor : named;
  const author: Author =
    actor.kind === 'key'
      ? { kind: 'key', id: actor.keyId, requestId }
      : { kind: 'user', id: actor.user.id, requestId };
  return { ...runtime, author };
}

function parseFields(
  bytes: Uint8Array | 'too_large',
  nullable: readonly string[],
): Record<string, unknown> | Rejection {
  if (bytes === 'too_large') return new Rejection('body_too_large');
  if (bytes.length === 0) return {};
  try {
    const body: unknown = JSON.parse(UTF8.decode(bytes));
    return Object.assign(withoutAbsent(body), nullsOf(body, nullable));
  } catch {
    return new Rejection('invalid_json');
  }
}

function nullsOf(body: unknown, names: readonly string[]): Record<string, null> {
  const nulls: Record<string, null> = {};
  if (typeof body !== 'object' || body === null) return nulls;
  for (const name of names) if (name in body && body[name as keyof typeof body] === null) nulls[name] = null;
  return nulls;
}
