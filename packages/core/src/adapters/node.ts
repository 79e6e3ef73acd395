import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Affkit } from '../create-affkit.ts';
import type { HttpReply } from '../http/message.ts';
import { makeErrorReply } from '../http/reply.ts';
import { makeRequestId } from '../http/request-id.ts';
import { normalizeBasePath, stripBasePath } from './base-path.ts';
import { fromNodeRequest, sendNodeResponse, toOriginForm } from './node-message.ts';

export { limitPipelining, type PipeliningLimits } from './limit-pipelining.ts';

export interface NodeAdapterOptions {
  /**
   * The path at which Affkit is mounted, such as `/affiliates`. Requests for other paths get a 404.
   * @default the root
   */
  readonly basePath?: string;
  /**
   * Returns the visitor's IP address, or null if it is unknown. Behind a proxy, read the address from the
   * header that the proxy sets.
   * @default the remote address of the socket
   */
  readonly ip?: (request: IncomingMessage) => string | null;
  /** Whether the visitor used HTTPS. @default whether the connection is encrypted */
  readonly secure?: (request: IncomingMessage) => boolean;
  /**
   * Headers to add to each response that does not set them itself. Names must be in lower case.
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the request id for logs and `X-Request-Id`. @default a generated id */
  readonly requestId?: (request: IncomingMessage) => string | undefined;
  /**
   * Called with each error that `ip`, `secure`, `requestId` or `affkit.handle` throws, and if `requestId` or `headers`
   * contain text that is not valid in a header. The response is a 500.
   * @default logs to the console
   */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/**
 * Returns a request listener for `http.createServer`. The listener never throws. If a callback in `options`
 * throws, the listener responds with a 500. If other code has already read a body that Affkit needs, the
 * listener responds with a 500 and emits a process warning.
 * @throws RangeError when `basePath` is not a path
 */
export function nodeAdapter(
  affkit: Pick<Affkit, 'handle'>,
  options: NodeAdapterOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const base = normalizeBasePath(options.basePath);
  const ipOf = options.ip ?? ((request) => request.socket.remoteAddress ?? null);
  const isSecure = options.secure ?? ((request) => request.socket instanceof TLSSocket);
  const onError = options.onError ?? logError;
  const handle = (request: IncomingMessage, requestId: string | undefined) => {
    const requestTarget = stripBasePath(base, toOriginForm(request.url ?? '/'));
    if (requestTarget === null) return null;
    return affkit.handle(
      fromNodeRequest(request, {
        target: requestTarget,
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
      reply = await handle(request, requestId);
    } catch (error) {
      requestId ??= makeRequestId();
      onError(error, requestId);
      reply = makeErrorReply('internal_error', requestId);
    }
    reply ??= makeErrorReply('route_not_found', requestId ?? makeRequestId());
    try {
      sendNodeResponse(request, response, reply, options.headers);
    } catch (error) {
      // A callback returned text that is not valid in a header, or an option contains such text.
      const newId = makeRequestId();
      onError(error, newId);
      sendNodeResponse(request, response, makeErrorReply('internal_error', newId));
    }
  };
}

function logError(error: unknown, requestId: string): void {
  console.error('affkit: request failed', { err: error, request_id: requestId });
}
