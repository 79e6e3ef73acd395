import { connect, type Socket } from 'node:net';
import { visits } from './visits.ts';

/** The outcome of a run with many clients. */
export interface ClientsResult {
  readonly seconds: number;
  /** Number of responses with status 200. */
  readonly acknowledged: number;
  /** Number of responses with status 503. */
  readonly rejected: number;
  /** 503 responses without `Retry-After`, responses with another status, and broken connections. */
  readonly faults: number;
  /** Latency of each response with status 200. */
  readonly acknowledgedMs: readonly number[];
  /** Latency of each response with status 503. */
  readonly rejectedMs: readonly number[];
}

interface Tally {
  acknowledged: number;
  rejected: number;
  faults: number;
  readonly acknowledgedMs: number[];
  readonly rejectedMs: number[];
}

const CONCURRENT_CONNECTS = 200;

/** Raw HTTP requests of clicks by different visitors. */
export function clickRequests(url: string, partnerCode: string): Buffer[] {
  const { host } = new URL(url);
  return visits(partnerCode).map(({ method, path, headers, body }) => {
    const head = Object.entries({ host, ...headers, 'content-length': Buffer.byteLength(body) });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n${body}`);
  });
}

/**
 * Runs many clients, each on its own keep-alive connection. A client sends a request, waits for the response
 * and sends the next request. After a 503 it waits for `Retry-After`. Requests are prebuilt bytes, so that
 * the clients use little CPU time themselves.
 * @param urls the servers; the clients are distributed evenly over them
 * @param options `perSecond`: the maximum rate of all clients together, spread evenly over time. @default no limit
 */
export async function runClients(
  urls: readonly string[],
  requests: readonly Buffer[],
  options: { readonly clients: number; readonly seconds: number; readonly perSecond?: number },
): Promise<ClientsResult> {
  const tally: Tally = { acknowledged: 0, rejected: 0, faults: 0, acknowledgedMs: [], rejectedMs: [] };
  const sockets: Socket[] = [];
  while (sockets.length < options.clients) {
    const count = Math.min(CONCURRENT_CONNECTS, options.clients - sockets.length);
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: count }, (_, index) => open(urls[(sockets.length + index) % urls.length] ?? '')),
      )),
    );
  }
  const start = performance.now();
  let isOver = false;
  const intervalMs = options.perSecond === undefined ? 0 : (1_000 * options.clients) / options.perSecond;
  const clients = sockets.map((socket, index) =>
    runClient(socket, requests, tally, {
      first: index,
      intervalMs,
      delayMs: (intervalMs * index) / options.clients,
      isOver: () => isOver,
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, options.seconds * 1000));
  const seconds = (performance.now() - start) / 1000;
  const { acknowledged, rejected } = tally;
  isOver = true;
  // Wait for pending requests, because the acknowledged clicks are compared with the stored clicks.
  await Promise.all(clients);
  const late = tally.acknowledged - acknowledged;
  return { ...tally, seconds: seconds * (1 + late / Math.max(1, acknowledged)), rejected };
}

function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.once('error', reject).once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

interface ClientPlan {
  /** The index of the first request. */
  readonly first: number;
  /** The time before the first request. */
  readonly delayMs: number;
  /** The minimum time from one request to the next. */
  readonly intervalMs: number;
  readonly isOver: () => boolean;
}

/** Runs one client until the end of the measurement. Resolves when its connection is closed. */
function runClient(
  socket: Socket,
  requests: readonly Buffer[],
  tally: Tally,
  { first, delayMs, intervalMs, isOver }: ClientPlan,
): Promise<void> {
  return new Promise((resolve) => {
    let nextRequest = first;
    let sentAt = 0;
    let text = '';
    let isWaiting = false;
    const send = () => {
      const request = requests[nextRequest++ % requests.length];
      if (isOver() || !request) {
        socket.destroy();
        return;
      }
      sentAt = performance.now();
      isWaiting = true;
      socket.write(request);
    };
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
      const response = readResponse(text);
      if (!response) return;
      text = '';
      isWaiting = false;
      const ms = performance.now() - sentAt;
      if (response.status === 200) {
        tally.acknowledged += 1;
        tally.acknowledgedMs.push(ms);
      } else if (response.status === 503) {
        tally.rejected += 1;
        tally.rejectedMs.push(ms);
      }
      if (response.status !== 200 && (response.status !== 503 || response.retryAfter === undefined))
        tally.faults += 1;
      if (response.retryAfter !== undefined) {
        setTimeout(send, response.retryAfter * 1000 * (1 + Math.random()));
      } else if (ms >= intervalMs) {
        send();
      } else {
        setTimeout(send, intervalMs - ms);
      }
    });
    socket
      .on('error', () => {})
      .on('close', () => {
        if (isWaiting) tally.faults += 1;
        resolve();
      });
    if (delayMs === 0) send();
    else setTimeout(send, delayMs);
  });
}

/** Parses a response. Returns null while it is incomplete. */
function readResponse(text: string): { status: number; retryAfter: number | undefined } | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = text.slice(0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (text.length < end + 4 + length) return null;
  const retryAfter = /\r\nretry-after: (\d+)/i.exec(head)?.[1];
  return {
    status: Number(head.slice(9, 12)),
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
  };
}
