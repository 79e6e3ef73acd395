import { createServer, type Server, type Socket } from 'node:net';

/** Handles one complete request on its socket. */
export type Step = (socket: Socket) => void;

export interface SocketServer {
  readonly baseUrl: string;
  /** The complete requests as they came over the wire, headers and body. */
  readonly requests: string[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** Writes a raw HTTP response and keeps the connection open. */
export const reply =
  (status: number, body: string, headers: Record<string, string> = {}): Step =>
  (socket) => {
    const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
    const head = [`HTTP/1.1 ${status} Reply`, ...lines.map(([name, value]) => `${name}: ${value}`)];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  };

/** Writes a response of 64 MiB. When either side closes the connection, reports how many bytes were sent. */
export const longReply =
  (status: number, onClose: (bytesSent: number) => void): Step =>
  (socket) => {
    const [part, parts] = [Buffer.alloc(64 * 1024, ' '), 1024];
    let sent = 0;
    const sendOn = () => {
      sent += 1;
      if (sent > parts) socket.end();
      else socket.write(part, (error) => error || sendOn());
    };
    socket.on('close', () => onClose(sent * part.byteLength));
    socket.write(`HTTP/1.1 ${status} Reply\r\ncontent-length: ${parts * part.byteLength}\r\n\r\n`, sendOn);
  };

/**
 * Starts a server on a free loopback port. It handles each request with the next step. When no steps
 * are left, it repeats the final step.
 */
export async function startSocketServer(...steps: readonly Step[]): Promise<SocketServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (end === -1 || received.length < end + 4 + length) return;
      const step = steps[Math.min(requests.length, steps.length - 1)];
      requests.push(received);
      received = '';
      step?.(socket);
    });
  });
  await listen(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    requests,
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
}
