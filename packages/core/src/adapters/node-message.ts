import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { BodyBytes } from './body-bytes.ts';
import { plainAddress } from './plain-address.ts';
import { BodyAlreadyRead, serialize } from './reply-body.ts';

/** What only the embedding app can say of a request. */
export interface RequestFacts {
  /** Request target below the mount point, in its origin form. */
  readonly target: string;
  readonly basePath: string;
  readonly ip: string | null;
  readonly secure: boolean;
  readonly requestId: string | undefined;
  /** Told when the body is wanted but somebody else has read it; the reply is a 500 then. */
  readonly onBodyAlreadyRead: (error: BodyAlreadyRead) => void;
}

/** Nobody writes to a query. */
const NO_QUERY = new URLSearchParams();

/** A request of node:http or of a framework on it, in core's words. */
export function fromNodeRequest(request: IncomingMessage, facts: RequestFacts): HttpRequest {
  const { path, search } = splitTarget(facts.target);
  return {
    method: request.method ?? 'GET',
    path,
    basePath: facts.basePath,
    query: search === '' ? NO_QUERY : new URLSearchParams(search),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body: (limit) => {
      if (!request.readableDidRead) return readBody(request, limit);
      const error = new BodyAlreadyRead();
      facts.onBodyAlreadyRead(error);
      return Promise.reject(error);
    },
    ip: facts.ip === null ? null : plainAddress(facts.ip),
    secure: facts.secure,
    ...(facts.requestId !== undefined && { requestId: facts.requestId }),
  };
}

/** A target without its host. With it is the form that clients send to a proxy; servers must take it too. */
export function toOriginForm(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

/**
 * Writes the reply, unless the client is gone or somebody has answered already.
 * @param further headers that it has besides its own
 */
export function sendNodeReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: HttpReply,
  further?: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  const { body, contentType } = serialize(reply);
  const headers: Record<string, string> = { ...further };
  if (contentType !== null) headers['content-type'] = contentType;
  Object.assign(headers, reply.headers);
  // A body that is too large is not read on, so the connection has no further use.
  if (reply.status === 413 && !request.complete) headers['connection'] = 'close';
  if (response.getHeaderNames().length > 0) {
    response.statusCode = reply.status;
    addHeaders(response, headers);
  } else {
    // All at once, Node checks and keeps each of them once only; but it does not count the body then.
    if (body !== null) headers['content-length'] = String(Buffer.byteLength(body));
    response.writeHead(reply.status, headers);
  }
  response.end(body ?? undefined);
}

function addHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    // What other middleware set for these stays true.
    if (name === 'set-cookie' || name === 'vary') response.appendHeader(name, value);
    else response.setHeader(name, value);
  }
}

function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | 'too_large'> {
  if (request.destroyed) return Promise.reject(clientGone());
  if (Number(request.headers['content-length']) > limit) return Promise.resolve('too_large');
  return new Promise((resolve, reject) => {
    const bytes = new BodyBytes(limit);
    const onData = (chunk: Buffer) => {
      if (bytes.add(chunk)) return;
      stopListening();
      request.pause();
      resolve('too_large');
    };
    const onEnd = () => {
      stopListening();
      resolve(bytes.all());
    };
    const onGone = () => {
      stopListening();
      reject(clientGone());
    };
    const stopListening = () => {
      request.off('data', onData).off('end', onEnd).off('close', onGone);
    };
    // An abort is an error only to those who listen for one; 'close' says it as well.
    request.on('error', () => {});
    request.on('data', onData).on('end', onEnd).on('close', onGone);
  });
}

function clientGone(): DOMException {
  return new DOMException('The client went away before its request had arrived', 'AbortError');
}
