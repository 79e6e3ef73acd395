import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** An invalid setting or environment. The message tells the user what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * Reads a port from an environment variable and checks that it is free. For 0 it finds a free port.
 * @throws StartError if the value is not a valid port, or the port is in use
 */
export async function findPort(variable: string, preferred: number): Promise<number> {
  const text = process.env[variable] || String(preferred);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new StartError(`${variable} must be a port number between 0 and 65535, got "${text}"`);
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
