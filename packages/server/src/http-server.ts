import { createServer, type RequestListener, type Server } from 'node:http';
import { limitPipelining } from '@affkit/core/node';
import type { Logger } from 'pino';
import { createClientErrorListener } from './client-error.ts';
import type { ServerConfig } from './config.ts';
import { ConfigError } from './config-error.ts';

const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Longer than the idle timeout of common load balancers, so that the load balancer closes idle connections first.
 * Otherwise, the server could close a connection on which the load balancer is just sending a request.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** The time within which a whole request must arrive. It is long enough for the largest accepted body of 4 MiB. */
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_EVERY_MS = 5_000;

/**
 * Longer than `KEEP_ALIVE_TIMEOUT_MS` and `REQUEST_TIMEOUT_MS`. This timeout therefore closes only connections whose
 * client does not read the response.
 */
const IDLE_TIMEOUT_MS = 120_000;

interface HttpServerOptions {
  /** Logs malformed requests at level `debug`. @default no log */
  readonly log?: Logger;
  /** The time within which a whole request must arrive. @default 30_000 */
  readonly requestTimeoutMs?: number;
  /** How often to look for requests that exceed `requestTimeoutMs`. @default 5_000 */
  readonly checkEveryMs?: number;
  /**
   * The time after which a connection without traffic is closed, even if the client has not read a response.
   * @default 120_000
   */
  readonly idleTimeoutMs?: number;
}

/** Creates a server that sends the usual error response for malformed and timed-out requests. */
export function createHttpServer(
  app: RequestListener,
  {
    log,
    requestTimeoutMs = REQUEST_TIMEOUT_MS,
    checkEveryMs = CHECK_EVERY_MS,
    idleTimeoutMs = IDLE_TIMEOUT_MS,
  }: HttpServerOptions = {},
): Server {
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkEveryMs,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    limitPipelining(app),
  );
  return server.setTimeout(idleTimeoutMs).on('clientError', createClientErrorListener(log));
}

/** @throws ConfigError when the server cannot listen on the host and port */
export function listen(server: Server, { host, port }: Pick<ServerConfig, 'host' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        reject(
          new ConfigError(
            'PORT',
            `${port} is in use on ${host}. Stop the process that listens there or set another port.`,
          ),
        );
      } else if (error.code === 'EACCES') {
        reject(new ConfigError('PORT', `${port} is not allowed for this user. Set a port above 1023.`));
      } else {
        reject(new ConfigError('HOST', `${host} can't be used: ${error.message}`));
      }
    });
    server.listen(port, host, resolve);
  });
}

/** Stops listening and waits for pending requests. After 10 seconds, the remaining connections are closed. */
export async function drain(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // `close` ends only connections that are idle now. A busy keep-alive connection becomes idle later,
  // after its response. Idle connections are therefore closed repeatedly.
  const idleSweep = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  await closed;
  clearInterval(idleSweep);
  clearTimeout(deadline);
}
