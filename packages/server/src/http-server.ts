import { createServer, type RequestListener, type Server } from 'node:http';
import type { Logger } from 'pino';
import { ConfigError, type ServerConfig } from './config.ts';
import { refuseUnread } from './unread-request.ts';

const DRAIN_TIMEOUT_MS = 10_000;

/** Longer than common load balancers keep theirs, so that it is never the server that closes one in use. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** No body is larger than 1.5 MiB. */
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 5_000;

interface HttpServerOptions {
  /** Told of what could not be read as a request. @default nobody is */
  readonly log?: Logger;
  /** How long a request may take to arrive. @default 30_000 */
  readonly requestTimeoutMs?: number;
  /** How often that is looked at. @default 5_000 */
  readonly checkEveryMs?: number;
}

/** What can't be read as a request, or does not arrive in time, is answered as an error like any other. */
export function createHttpServer(
  app: RequestListener,
  { log, requestTimeoutMs = REQUEST_TIMEOUT_MS, checkEveryMs = CHECK_EVERY_MS }: HttpServerOptions = {},
): Server {
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkEveryMs,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    app,
  );
  return server.on('clientError', refuseUnread(log));
}

/** @throws ConfigError where the port can't be had */
export function listen(server: Server, { host, port }: Pick<ServerConfig, 'host' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        reject(
          new ConfigError('PORT', `${port} is in use on ${host}: stop what listens there, or set another`),
        );
      } else if (error.code === 'EACCES') {
        reject(new ConfigError('PORT', `${port} may not be used by this user: set one above 1023`));
      } else {
        reject(new ConfigError('HOST', `${host} can't be listened on: ${error.message}`));
      }
    });
    server.listen(port, host, resolve);
  });
}

/** Ends when every request under way is answered; cuts off those that take too long. */
export async function drain(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle only when its last reply is out.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const giveUp = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(giveUp);
}
