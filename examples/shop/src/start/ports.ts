import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** An invalid setting or environment. The message tells the user what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * Reads a port from an environment variable and checks that the port is free. For 0, it chooses a free port from 11,000
 * to 32,767. Operating systems give outgoing connections ports above this range. Therefore, no outgoing connection can
 * take the port before the demo listens on it.
 * @throws StartError if the value is not a valid port, or the port is in use
 */
export async function findPort(variable: string, preferred: number): Promise<number> {
  const text = process.env[variable] || String(preferred);
  const chosen = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(chosen <= 65_535))
    throw new StartError(`${variable} must be a port number between 0 and 65535, got "${text}"`);
  const port = chosen === 0 ? randomInt(11_000, 32_768) : chosen;
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (chosen === 0 && error.code === 'EADDRINUSE') return resolve(findPort(variable, preferred));
      const example = `e.g. ${variable}=${port + 100} npm start`;
      const problem =
        error.code === 'EADDRINUSE'
          ? `is in use. Stop the process that listens there (maybe another demo), or set another port, ${example}`
          : `can't be used (${error.message}). Set another port, ${example}`;
      reject(new StartError(`${variable} ${port} ${problem}`));
    });
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}
