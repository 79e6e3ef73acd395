import { isDeepStrictEqual } from 'node:util';
import { ERRORS, type ErrorCode, errorReply } from '@affkit/protocol';
import type { Received, SentRequest } from './http-client.ts';
import { findForeignData, findForeignIds, findForeignSecrets, findInternals, findSecrets } from './leaks.ts';
import type { Operation } from './operations.ts';
import type { Tenant } from './tenant.ts';

interface Exchange {
  readonly operation: Operation;
  readonly sent: SentRequest;
  readonly received: Received;
  /** Undefined if the request had no valid credential. */
  readonly caller: Tenant | undefined;
  readonly others: readonly Tenant[];
  /** Whether the request has the path of the operation. A hostile parameter may change the path. */
  readonly isOnRoute: boolean;
}

const DOCUMENTATION = [
  'GET /',
  'GET /api/openapi.json',
  'GET /docs',
  'GET /js/affkit.js',
  'GET /js/affkit-linker.js',
  'GET /metrics',
];
/** Operations whose reply contains a new secret, which no other reply shows. */
const ISSUING =
  /^POST \/api\/advertiser\/(?:affiliate-programs|api-keys|members|affiliate-programs\/:id\/partners(?:\/import)?)$|(?:regenerate-api-token|\/invite)$/;
/** The service limits concurrent exports, and a group of requests may exceed the limit. */
const LIMITED = /\.csv$|\/export$/;
/** Everyone may read live programs and published pages. */
const PUBLISHING = [
  'GET /api/v1/marketplace/programs',
  'GET /api/v1/programs/:slug',
  'GET /p/:slug',
  'POST /p/:slug',
];
/**
 * The route that lists rejected calls, with the ids that their senders sent. These ids may belong to any tenant.
 */
const ECHOING = 'GET /api/advertiser/affiliate-programs/:id/refusals';
/** Error codes of requests that are rejected before they reach the handler of a route. */
const BEFORE_ROUTES = ['malformed_request', 'headers_too_large', 'request_timeout', 'route_not_found'];

/** Returns what is wrong with a response. */
export function findFaults(exchange: Exchange): string[] {
  const { operation, sent, received, isOnRoute } = exchange;
  const { status } = received;
  const isLimited = status === 503 && LIMITED.test(operation.key);
  const faults = status >= 500 && !isLimited ? [`The status is ${status}`] : [];
  faults.push(...leaksOf(exchange));
  if ((status === 204 && sent.method === 'OPTIONS') || sent.method === 'HEAD') return faults;
  if (status === 304 && 'if-none-match' in sent.headers) return faults;
  if (isOnRoute && operation.replies.has(status)) {
    return [...faults, ...faultsOfReply(exchange)];
  }
  // A hostile path may have reached another route.
  if (status < 400) return isOnRoute ? [...faults, `The status ${status} is not documented`] : faults;
  return [...faults, ...faultsOfError(exchange)];
}

function leaksOf({ operation, sent, received, caller, others }: Exchange): string[] {
  const { key, access } = operation;
  if (DOCUMENTATION.includes(key)) return [];
  const { text } = received;
  const sentText = [sent.target, ...Object.values(sent.headers), sent.body?.toString() ?? ''].join('\n');
  const isPublic = access === 'public' || access === 'optional_token';
  return [
    ...findInternals(text),
    ...(ISSUING.test(key) ? [] : findSecrets(text, sentText)),
    ...(PUBLISHING.includes(key)
      ? findForeignSecrets(text, others)
      : findForeignData(text, sentText, caller, others)),
    ...(isPublic || key === ECHOING ? [] : findForeignIds(parseJson(text), sentText, others)),
  ];
}

function faultsOfReply({ operation, received }: Exchange): string[] {
  const { headers, status, text } = received;
  const reply = operation.replies.get(status);
  const type = String(headers['content-type']);
  if (!reply || !type.startsWith(reply.mediaType)) return [`The content type ${type} is not documented`];
  if (!reply.schema) return [];
  const body = parseJson(text);
  const parsed = reply.schema.safeParse(body);
  if (!parsed.success) return [`The body does not match its schema: ${parsed.error.message}`];
  return isDeepStrictEqual(parsed.data, body) ? [] : ['The body has fields that are not documented'];
}

function faultsOfError({ operation, sent, received, isOnRoute }: Exchange): string[] {
  const { headers, status, text } = received;
  const parsed = errorReply.safeParse(parseJson(text));
  if (!parsed.success) return [`The body of the error ${status} does not match the schema of errors`];
  const { code, error, request_id } = parsed.data;
  const faults: string[] = [];
  const expected: { status: number; message: string } = ERRORS[code];
  if (expected.status !== status) faults.push(`${code} has the status ${status}`);
  if (error === '' || error.length > 1_000) faults.push(`The message has ${error.length} characters`);
  if (headers['x-request-id'] !== request_id) faults.push('The request id differs from the header');
  if (!['true', 'false'].includes(String(headers['x-should-retry'])))
    faults.push('X-Should-Retry is missing');
  if ((status === 429 || status === 503) && !headers['retry-after']) faults.push('Retry-After is missing');
  return [
    ...faults,
    ...(isDocumented(code, operation, sent, isOnRoute) ? [] : [`${code} is not documented`]),
  ];
}

function isDocumented(code: ErrorCode, operation: Operation, sent: SentRequest, isOnRoute: boolean): boolean {
  if (BEFORE_ROUTES.includes(code)) return !isOnRoute || code !== 'route_not_found';
  if (!operation.methods.has(sent.method)) return code === 'method_not_allowed';
  return operation.errors.has(code) || !isOnRoute;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
