import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** A setting or a machine that the demo can't start on; its message is for whoever started it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * The port that the variable names, which nobody listens on; a free one where it names 0.
 * @throws StartError when it is no port or is in use
 */
export async function findPort(variable: string, preferred: number): Promise<number> {
  const text = process.env[variable] || String(preferred);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new StartError(`${variable} must be a port number, not "${text}"`);
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      const problem = isTaken
        ? 'is in use: is the demo running already? Stop it'
        : `can't be used (${error.message}): free it`;
      reject(
        new StartError(
          `${variable} ${port} ${problem}, or set another, e.g. ${variable}=${port + 100} npm start`,
        ),
      );
    });
    probe.listen(port, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
}
