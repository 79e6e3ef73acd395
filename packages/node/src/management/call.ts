import { AffkitNotFoundError, configurationError } from '../errors.ts';
import { isRouteNotFound } from '../failure-action.ts';
import { callBulk } from './bulk.ts';
import { type CallInput, type Fields, queryText, readArguments } from './call-input.ts';
import { readableCsv } from './csv-stream.ts';
import type { Endpoint } from './endpoint.ts';
import { createList, type Page } from './list.ts';
import type { ManagementSettings } from './options.ts';
import { type RouteReply, sendRoute } from './send-route.ts';

const MAX_PAGE_SIZE = 100;

/** Calls the route of an endpoint with the arguments of its method. */
export function callEndpoint(
  operation: string,
  endpoint: Endpoint,
  settings: ManagementSettings,
  args: readonly unknown[],
): unknown {
  const input = readArguments(operation, endpoint, args);
  const { path, query, options } = input;
  const request = (fields: Fields, body: CallInput['body']) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return sendRoute(operation, endpoint, { path: path + queryText(fields), body: text }, settings, options);
  };
  if (endpoint.kind !== 'list') return callOnce(operation, endpoint, input, request);
  const { page: first, ...filters } = query;
  return createList({
    operation,
    first: typeof first === 'number' ? first : 1,
    signal: options.signal,
    logger: settings.logger,
    read: async (page) => readPage(await request({ pageSize: MAX_PAGE_SIZE, ...filters, page }, '')),
  });
}

async function callOnce(
  operation: string,
  { kind, repeats, splits }: Endpoint,
  { query, body, options }: CallInput,
  request: (query: Fields, body: CallInput['body']) => Promise<RouteReply>,
): Promise<unknown> {
  if (splits !== undefined && typeof body !== 'string') {
    return callBulk(splits, body, async (part) => (await request(query, part)).body);
  }
  try {
    const reply = await request(query, repeats === 'with_key' ? withKey(body) : body);
    if (kind === 'csv') return readableCsv(reply, operation, options.signal);
    if (kind === 'nothing') return undefined;
    return kind === 'data' ? reply.body['data'] : reply.body;
  } catch (error) {
    if (kind === 'nothing' && isAlreadyDeletedReply(error)) return undefined;
    throw error;
  }
}

function withKey(body: CallInput['body']): CallInput['body'] {
  if (typeof body === 'string' || body['idempotency_key']) return body;
  return { ...body, idempotency_key: globalThis.crypto.randomUUID() };
}

/** Whether a retried deletion got a 404 because the first request had already deleted the row. */
function isAlreadyDeletedReply(error: unknown): boolean {
  return error instanceof AffkitNotFoundError && error.attempts > 1 && !isRouteNotFound(error.code);
}

/** Reads a page from a reply, whose shape `classifyRouteReply` has checked. */
function readPage({ body }: RouteReply): Page<unknown> {
  const { data, meta } = body as {
    readonly data: readonly unknown[];
    readonly meta: {
      readonly pagination: Omit<Page<unknown>, 'data' | 'isCapped'> & { readonly total_capped?: true };
    };
  };
  const { page, pageSize, pageCount, total, total_capped: isCapped = false } = meta.pagination;
  return { data, page, pageSize, pageCount, total, isCapped };
}

/** The error for a call that requires a program, on a client without `programId`. */
export function programRequired(operation: string): Error {
  return configurationError(
    `${operation} requires a program: pass the option programId, or call client.program(id).${operation}`,
  );
}
