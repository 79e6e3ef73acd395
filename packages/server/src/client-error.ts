import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { makeErrorReply, makeRequestId } from '@affkit/core';
import type { ErrorCode } from '@affkit/protocol';
import type { Logger } from 'pino';

/** Error codes of Node's HTTP parser with their own response. Any other code means `malformed_request`. */
const PARSER_ERROR_CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
};

/** An error of a socket or of Node's parser. `rawPacket` is the packet that could not be parsed. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Creates a listener for `clientError` that sends the usual error body and closes the connection. If a
 * response to an earlier request has been started, it only closes the connection.
 * @param log logs each rejected request at level `debug`
 */
export function createClientErrorListener(
  log: Pick<Logger, 'debug'> | undefined,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error: ParserError, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET' && !hasStartedResponse(socket)) {
      const code = PARSER_ERROR_CODES[error.code ?? ''] ?? 'malformed_request';
      const requestId = makeRequestId();
      log?.debug({ err: error, request_id: requestId }, 'rejected a request that could not be parsed');
      socket.write(renderResponse(code, requestId, isHead(error)));
    }
    socket.destroy();
  };
}

/** Reads the private field with the current response, as Node's default `clientError` listener does. */
function hasStartedResponse(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Whether the request that could not be parsed is a HEAD, whose response has no body. */
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
