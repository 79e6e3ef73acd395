import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Affkit } from '../create-affkit.ts';
import type { HttpReply } from '../http/message.ts';
import { makeErrorReply } from '../http/reply.ts';
import { makeRequestId } from '../http/request-id.ts';
import { pathBelow, readBasePath } from './base-path.ts';
import { fromNodeRequest, sendNodeReply, toOriginForm } from './node-message.ts';

export interface NodeAdapterOptions {
  /** Path under which Affkit stands, such as `/affiliates`; what lies elsewhere is answered 404. @default the root */
  readonly basePath?: string;
  /** The visitor's address. Behind a proxy, read it from the header that this proxy sets. @default the peer's */
  readonly ip?: (request: IncomingMessage) => string | null;
  /** Did the visitor come by https? @default whether the socket is encrypted */
  readonly secure?: (request: IncomingMessage) => boolean;
  /** Further headers of each reply; where it has one itself, its own is sent. Names in lower case. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** An id for logs and `X-Request-Id`. @default one is made */
  readonly requestId?: (request: IncomingMessage) => string | undefined;
  /** Told of what the functions above threw: the request was answered 500. @default the console */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/**
 * A listener for `http.createServer`. It never throws: where `ip`, `secure` or `requestId` does, the request is answered
 * 500; and so is a body that somebody else has read, with a process warning that says so.
 * @throws RangeError at once, for a `basePath` that is no path
 */
export function nodeAdapter(
  affkit: Pick<Affkit, 'handle'>,
  options: NodeAdapterOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const base = readBasePath(options.basePath);
  const ipOf = options.ip ?? ((request) => request.socket.remoteAddress ?? null);
  const isSecure = options.secure ?? ((request) => request.socket instanceof TLSSocket);
  const report = options.onError ?? reportOnConsole;
  const answer = (request: IncomingMessage, requestId: string | undefined) => {
    const target = pathBelow(base, toOriginForm(request.url ?? '/'));
    if (target === null) return null;
    return affkit.handle(
      fromNodeRequest(request, {
        target,
        basePath: base,
        ip: ipOf(request),
        secure: isSecure(request),
        requestId,
        onBodyAlreadyRead: (error) => process.emitWarning(error.message, error.name),
      }),
    );
  };
  return async (request, response) => {
    let requestId: string | undefined;
    let reply: HttpReply | null;
    try {
      requestId = options.requestId?.(request);
      reply = await answer(request, requestId);
    } catch (error) {
      requestId ??= makeRequestId();
      report(error, requestId);
      reply = makeErrorReply('internal_error', requestId);
    }
    reply ??= makeErrorReply('route_not_found', requestId ?? makeRequestId());
    sendNodeReply(request, response, reply, options.headers);
  };
}

function reportOnConsole(error: unknown, requestId: string): void {
  console.error('affkit: request failed', { err: error, request_id: requestId });
}
