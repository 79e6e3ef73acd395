import type { IncomingMessage, ServerResponse } from 'node:http';

/** Bounds for the rest of a request body. A client that sends more, or more slowly, may lose the response. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;
const MAX_DISCARD_MS = 5_000;

/**
 * Sends a response that closes the connection, while the client may still be sending the body. The rest of the body is
 * read and discarded first, because the system resets a connection that is closed with unread data. A proxy that is
 * still sending would then report a 502 instead of the response. The headers must contain Content-Length, so that the
 * client knows that the response is complete.
 */
export function endAfterBody(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array,
): void {
  response.write(body);
  let discardedBytes = 0;
  const onData = (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes > MAX_DISCARDED_BYTES) end();
  };
  const end = () => {
    clearTimeout(timer);
    request.off('data', onData).off('end', end).off('close', end);
    response.end();
  };
  const timer = setTimeout(end, MAX_DISCARD_MS);
  // Without this listener, Node would throw the error of an aborted request.
  request.on('error', () => {});
  request.on('data', onData).on('end', end).on('close', end);
  request.resume();
}
