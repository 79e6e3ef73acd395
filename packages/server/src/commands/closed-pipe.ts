/**
 * Ignores the error when the reader of a pipe closes the pipe, as in `affkit why … | head`. The command continues, and
 * its exit code does not change. Without this, Node ends the process with a stack trace.
 */
export function ignoreClosedPipe(stream: NodeJS.WritableStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
