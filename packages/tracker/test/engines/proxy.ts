import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, request as openSecureRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { selfSignedCertificate } from '../certificate.ts';
import { LINES_PATH } from './page-scripts.ts';

export interface LoopbackProxy {
  readonly address: string;
  /** Whether the proxy interrupts all connections. */
  isOffline: boolean;
  close(): Promise<void>;
}

const NONCE = 'loopback';

interface PageHooks {
  /** Returns a script to run first on each page. */
  script(): string;
  /** Called with the console lines that pages send. */
  onLines(lines: readonly string[]): void;
}

/**
 * Starts a proxy that forwards requests for any host to the loopback address. Browsers that cannot map host names
 * use this proxy.
 */
export async function startLoopbackProxy({ script, onLines }: PageHooks): Promise<LoopbackProxy> {
  const sockets = new Set<Socket>();

  const forward = (isSecure: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const { method, headers } = request;
    if (proxy.isOffline) {
      request.socket.destroy();
      return;
    }
    const url = new URL(request.url ?? '', `http://${headers.host}`);
    if (url.pathname === LINES_PATH) {
      json(request).then(
        (lines) => onLines(lines as string[]),
        () => {},
      );
      response.writeHead(204).end();
      return;
    }
    const upstream = (isSecure ? openSecureRequest : openRequest)({
      host: '127.0.0.1',
      port: url.port,
      path: url.pathname + url.search,
      method,
      headers,
      rejectUnauthorized: false,
    });
    upstream.on('response', (received) => {
      respond(received, response).catch(() => response.destroy());
    });
    upstream.on('error', () => response.destroy());
    // If the browser cancels a request, cancel it at the server too.
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  };

  async function respond(received: IncomingMessage, response: ServerResponse): Promise<void> {
    const { statusCode = 502, headers } = received;
    if (!headers['content-type']?.startsWith('text/html')) {
      response.writeHead(statusCode, headers);
      received.pipe(response);
      return;
    }
    let page = '';
    for await (const chunk of received.setEncoding('utf8')) page += chunk;
    const { 'content-length': _, 'content-security-policy': policy, ...others } = headers;
    response
      .writeHead(statusCode, {
        ...others,
        ...(policy && {
          'content-security-policy': String(policy).replace('script-src', `script-src 'nonce-${NONCE}'`),
        }),
      })
      .end(`<script nonce=${NONCE}>${script()};document.currentScript.remove()</script>${page}`);
  }

  const server = createServer(forward(false));
  const secureServer = createSecureServer(selfSignedCertificate(), forward(true));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    secureServer.emit('connection', socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a listening server has an address with a port.
  const { port } = server.address() as AddressInfo;

  const proxy: LoopbackProxy = {
    address: `127.0.0.1:${port}`,
    isOffline: false,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
