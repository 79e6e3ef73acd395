import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { makeErrorReply, makeRequestId } from '@affkit/core';
import type { ErrorCode } from '@affkit/protocol';
import type { Logger } from 'pino';

/**
 * The error codes of Node's HTTP parser that have their own response. All other codes become
 * `malformed_request`.
 */
const PARSER_ERROR_CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
};

/**
 * After the server has rejected a request, it reads and discards further data for at most this time. If the server
 * closed the connection before it has read all data, TCP would reset the connection, and the client could lose the
 * response.
 */
const DISCARD_TIMEOUT_MS = 2_000;

/** An error of a socket or of Node's parser. `rawPacket` is the packet that was not parsed. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Creates a listener for `clientError` that sends the usual error body and closes the connection. If the
 * response to an earlier request has already started, it only closes the connection.
 * @param log logs each rejected request at level `debug`
 */
export function createClientErrorListener(
  log: Pick<Logger, 'debug'> | undefined,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error: ParserError, socket) => {
    // The parser reports the same error again for data that arrives later, but the response was already sent.
    if (socket.writableEnded) return;
    if (!socket.writable || error.code === 'ECONNRESET' || hasStartedResponse(socket)) {
      socket.destroy();
      return;
    }
    const code = PARSER_ERROR_CODES[error.code ?? ''] ?? 'malformed_request';
    const requestId = makeRequestId();
    log?.debug({ err: error, request_id: requestId }, 'rejected a request that could not be parsed');
    socket.end(renderResponse(code, requestId, isHead(error)));
    // After a timeout, the parser would still accept the rest of the request, and the server would process the request.
    // The connection must therefore close at once.
    if (code === 'request_timeout') socket.destroy();
    else destroyLater(socket);
  };
}

/** Destroys a socket after the client has closed the connection or `DISCARD_TIMEOUT_MS` has passed. */
function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), DISCARD_TIMEOUT_MS);
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer));
}

/**
 * Whether a response has started. Reads a private field of Node, as Node's default `clientError` listener
 * does.
 */
function hasStartedResponse(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Whether the unparsed request is a HEAD, whose response must not have a body. */
function isHead({ rawPacket }: ParserError): boolean {
  return rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
}

function renderResponse(code: ErrorCode, requestId: string, isHead: boolean): string {
  const { status, headers, body } = makeErrorReply(code, requestId);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${isHead ? '' : text}`;
}
