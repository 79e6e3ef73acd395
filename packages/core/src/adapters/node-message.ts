import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { BodyReading, HttpReply, HttpRequest } from '../http/message.ts';
import { BodyBytes } from './body-bytes.ts';
import { discardBody } from './discard-body.ts';
import { normalizeIp } from './normalize-ip.ts';
import { BodyAlreadyRead, isStream, serialize } from './response-body.ts';

/** The properties of a request that depend on the host application. */
export interface NodeRequestContext {
  /** The request target in origin form, relative to the mount point. */
  readonly target: string;
  readonly basePath: string;
  readonly ip: string | null;
  readonly secure: boolean;
  readonly requestId: string | undefined;
  /** Called when other code has already read a body that Affkit needs. The response is then a 500. */
  readonly onBodyAlreadyRead: (error: BodyAlreadyRead) => void;
}

/** Shared by all requests without a query. It is never modified. */
const NO_QUERY = new URLSearchParams();

/** Converts a request of `node:http`, or of a framework based on it, to an `HttpRequest`. */
export function fromNodeRequest(request: IncomingMessage, context: NodeRequestContext): HttpRequest {
  const { path, search } = splitTarget(context.target);
  return {
    method: request.method ?? 'GET',
    path,
    basePath: context.basePath,
    query: search === '' ? NO_QUERY : new URLSearchParams(search),
    header: (name) => {
      // HTTP/2 requests have `:authority` instead of `Host`. If a request has both, `Host` must be ignored.
      const authority = name === 'host' ? request.headers[':authority'] : undefined;
      const value = authority ?? request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body: (limit, reading) => {
      if (!request.readableDidRead) return readBody(request, limit, reading);
      const error = new BodyAlreadyRead();
      context.onBodyAlreadyRead(error);
      return Promise.reject(error);
    },
    ip: context.ip === null ? null : normalizeIp(context.ip),
    secure: context.secure,
    ...(context.requestId !== undefined && { requestId: context.requestId }),
  };
}

/**
 * Removes the scheme and host from a request target. HTTP requires servers to accept targets in this absolute form
 * (with scheme and host), although clients normally send them only to proxies.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

/**
 * Sends the response, unless the client has disconnected or other code has already sent one.
 * @param defaultHeaders headers that the reply may override
 * @throws TypeError when a header contains text that is not valid in a header
 */
export function sendNodeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  reply: HttpReply,
  defaultHeaders?: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) {
    if (isStream(reply.body)) void reply.body.cancel();
    return;
  }
  const { body, contentType } = serialize(reply);
  const headers: Record<string, string | string[]> = { ...defaultHeaders };
  if (contentType !== null) headers['content-type'] = contentType;
  Object.assign(headers, reply.headers);
  if (reply.cookies) headers['set-cookie'] = [...reply.cookies];
  // If the body was too large or its stream was stopped, the rest can be endless, so the connection is closed.
  const mustClose = !request.complete && (reply.status === 413 || request.isPaused());
  // HTTP/2 has no `Connection` header. Only the stream of the request is closed, not the connection.
  if (mustClose && request.httpVersionMajor < 2) headers['connection'] = 'close';
  try {
    if (response.getHeaderNames().length > 0) {
      response.statusCode = reply.status;
      addHeaders(response, headers);
    } else {
      // Passing all headers to `writeHead` is faster than setting them one by one, because Node then validates and
      // stores each header only once. However, Node then does not set Content-Length.
      if (body !== null && !isStream(body)) headers['content-length'] = String(Buffer.byteLength(body));
      response.writeHead(reply.status, headers);
    }
  } catch (error) {
    // An export holds a database connection until its stream is read or canceled.
    if (isStream(body)) void body.cancel();
    throw error;
  }
  if (isStream(body)) sendStream(request, response, body);
  else if (mustClose) discardBody(request, () => response.end(body ?? undefined));
  else response.end(body ?? undefined);
}

function sendStream(request: IncomingMessage, response: ServerResponse, body: ReadableStream): void {
  if (request.method === 'HEAD') {
    response.end();
    void body.cancel();
    return;
  }
  // On an error, `pipeline` closes the connection, which tells the client that the body is incomplete. The
  // cast is needed because the DOM and Node declare the same stream class differently.
  pipeline(Readable.fromWeb(body as NodeStream), response).catch(() => {});
}

function addHeaders(response: ServerResponse, headers: Readonly<Record<string, string | string[]>>): void {
  for (const [name, value] of Object.entries(headers)) {
    // Keep the values that other middleware has set for these two headers.
    if (name === 'set-cookie' || name === 'vary') response.appendHeader(name, value);
    else response.setHeader(name, value);
  }
}

function splitTarget(target: string): { path: string; search: string } {
  const queryStart = target.indexOf('?');
  return queryStart === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, queryStart), search: target.slice(queryStart + 1) };
}

function readBody(
  request: IncomingMessage,
  limit: number,
  { onProgress, signal }: BodyReading = {},
): Promise<Uint8Array | 'too_large'> {
  if (request.destroyed) return Promise.reject(clientDisconnected());
  if (Number(request.headers['content-length']) > limit) return Promise.resolve('too_large');
  return new Promise((resolve, reject) => {
    const bytes = new BodyBytes(limit);
    const onData = (chunk: Buffer) => {
      if (bytes.add(chunk)) {
        onProgress?.(bytes.length);
        return;
      }
      stopListening();
      request.pause();
      resolve('too_large');
    };
    const onAbort = () => {
      stopListening();
      request.pause();
      reject(signal?.reason);
    };
    const onEnd = () => {
      stopListening();
      resolve(bytes.all());
    };
    const onClose = () => {
      stopListening();
      reject(clientDisconnected());
    };
    const stopListening = () => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
    };
    // Without this listener, Node would throw the error of an aborted request. `onClose` handles the
    // abort.
    request.on('error', () => {});
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    signal?.addEventListener('abort', onAbort);
  });
}

function clientDisconnected(): DOMException {
  return new DOMException('The client disconnected before the request body was complete', 'AbortError');
}
