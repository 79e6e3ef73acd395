import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_MS = 5_000;
/** A client that has sent nothing for this long probably waits for the response. */
const MAX_PAUSE_MS = 500;

/**
 * Reads and discards the rest of a request body, and then calls `done`. Stops early if the body is too large
 * or too slow, or if the client pauses.
 *
 * The body of a rejected request must be read to its end for two reasons. The operating system resets a
 * connection that is closed with unread data, and a proxy such as Caddy stops sending when the response
 * arrives early. Without this function, the client would get a reset or a 502 instead of the response.
 */
export function discardBody(request: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) finish();
    else pause.refresh();
  };
  const finish = () => {
    clearTimeout(deadline);
    clearTimeout(pause);
    request.off('data', onData).off('end', finish).off('close', finish);
    done();
  };
  const deadline = setTimeout(finish, MAX_MS);
  const pause = setTimeout(finish, MAX_PAUSE_MS);
  // Without this listener, Node would throw the error of an aborted request.
  request.on('error', () => {});
  request.on('data', onData).on('end', finish).on('close', finish);
  request.resume();
}
