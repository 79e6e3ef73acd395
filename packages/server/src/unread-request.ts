import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { makeErrorReply, makeRequestId } from '@affkit/core';
import type { ErrorCode } from '@affkit/protocol';
import type { Logger } from 'pino';

/** What Node's parser of HTTP ends with, where it is more than a request that is malformed. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
};

/**
 * A listener for `clientError`: answers what could not be read as a request, in the shape of all errors, and closes the
 * connection. Whom an answer is on its way to already gets no second one.
 * @param log is told at level `debug`
 */
export function refuseUnread(
  log: Pick<Logger, 'debug'> | undefined,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET' && !isAnswering(socket)) {
      const code = CODES[error.code ?? ''] ?? 'malformed_request';
      const requestId = makeRequestId();
      log?.debug({ err: error, request_id: requestId }, 'what came in could not be read as a request');
      socket.write(replyText(code, requestId));
    }
    socket.destroy();
  };
}

/** Node keeps a connection's present answer there, and looks at it for the same reason in its own such listener. */
function isAnswering(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

function replyText(code: ErrorCode, requestId: string): string {
  const { status, headers, body } = makeErrorReply(code, requestId);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}
