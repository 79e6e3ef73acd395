import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Affkit } from '../create-affkit.ts';
import { pathBelow } from './base-path.ts';
import { fromNodeRequest, sendNodeReply } from './node-message.ts';
import { routeNotFoundReply } from './reply-body.ts';

export interface NodeAdapterOptions {
  /** Path under which Affkit stands; what lies elsewhere is answered 404. @default the root */
  readonly basePath?: string;
  /** The visitor's address. Behind a proxy, read it from the header that this proxy sets. @default the peer's */
  readonly ip?: (request: IncomingMessage) => string | null;
  /** Did the visitor come by https? @default whether the socket is encrypted */
  readonly secure?: (request: IncomingMessage) => boolean;
  /** Further headers of each reply; where it has one itself, its own is sent. Names in lower case. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** An id for logs and `X-Request-Id`. @default one is made */
  readonly requestId?: (request: IncomingMessage) => string | undefined;
}

/**
 * A listener for `http.createServer`. It never throws; a body that somebody else has read is answered 500, with
 * a process warning that says so.
 */
export function nodeAdapter(
  affkit: Pick<Affkit, 'handle'>,
  options: NodeAdapterOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const ipOf = options.ip ?? ((request) => request.socket.remoteAddress ?? null);
  const isSecure = options.secure ?? ((request) => request.socket instanceof TLSSocket);
  return async (request, response) => {
    const requestId = options.requestId?.(request);
    const target = pathBelow(options.basePath, request.url ?? '/');
    const reply =
      target === null
        ? null
        : await affkit.handle(
            fromNodeRequest(request, {
              target,
              ip: ipOf(request),
              secure: isSecure(request),
              requestId,
              onBodyAlreadyRead: (error) => process.emitWarning(error.message, error.name),
            }),
          );
    sendNodeReply(request, response, reply ?? routeNotFoundReply(requestId), options.headers);
  };
}
