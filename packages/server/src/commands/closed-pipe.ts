/**
 * Ignores that the reader of a pipe has closed it, as `affkit why … | head` does. The command continues, and its
 * exit code does not change. Without this, Node ends the process with a stack trace.
 */
export function ignoreClosedPipe(stream: NodeJS.WritableStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
