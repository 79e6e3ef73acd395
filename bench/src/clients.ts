import { connect, type Socket } from 'node:net';
import { visits } from './visits.ts';

/** What many clients came to in a while. */
export interface Crowd {
  readonly seconds: number;
  /** Replies of status 200. */
  readonly acknowledged: number;
  /** Replies of status 503. */
  readonly refused: number;
  /** Refusals without a `Retry-After`, replies of another status, and connections that broke. */
  readonly faults: number;
  readonly acknowledgedMs: readonly number[];
  readonly refusedMs: readonly number[];
}

interface Tally {
  acknowledged: number;
  refused: number;
  faults: number;
  readonly acknowledgedMs: number[];
  readonly refusedMs: number[];
}

const CONNECTS_AT_ONCE = 200;

/** The bytes of clicks by different people. */
export function clickRequests(url: string, partnerCode: string): Buffer[] {
  const { host } = new URL(url);
  return visits(partnerCode).map(({ method, path, headers, body }) => {
    const head = Object.entries({ host, ...headers, 'content-length': Buffer.byteLength(body) });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n${body}`);
  });
}

/**
 * Many clients on a keep-alive connection each, which send a request, wait for its reply and send the next; after a
 * refusal they wait as long as it says. Requests are bytes made beforehand, so that the crowd costs little itself.
 * @param urls the servers, each given as many clients as the others
 */
export async function runCrowd(
  urls: readonly string[],
  requests: readonly Buffer[],
  options: { readonly clients: number; readonly seconds: number },
): Promise<Crowd> {
  const tally: Tally = { acknowledged: 0, refused: 0, faults: 0, acknowledgedMs: [], refusedMs: [] };
  const sockets: Socket[] = [];
  while (sockets.length < options.clients) {
    const count = Math.min(CONNECTS_AT_ONCE, options.clients - sockets.length);
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: count }, (_, index) => open(urls[(sockets.length + index) % urls.length] ?? '')),
      )),
    );
  }
  const start = performance.now();
  let isOver = false;
  const ends = sockets.map((socket, index) => converse(socket, requests, index, tally, () => isOver));
  await new Promise((resolve) => setTimeout(resolve, options.seconds * 1000));
  const seconds = (performance.now() - start) / 1000;
  const { acknowledged, refused } = tally;
  isOver = true;
  // What is under way is waited for: each acknowledgement is to be counted against what is stored.
  await Promise.all(ends);
  const late = tally.acknowledged - acknowledged;
  return { ...tally, seconds: seconds * (1 + late / Math.max(1, acknowledged)), refused };
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

/** One client's requests, one after the other, until the end. */
function converse(
  socket: Socket,
  requests: readonly Buffer[],
  first: number,
  tally: Tally,
  isOver: () => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    let turn = first;
    let sentAt = 0;
    let text = '';
    let isWaiting = false;
    const send = () => {
      const request = requests[turn++ % requests.length];
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
      const reply = readReply(text);
      if (!reply) return;
      text = '';
      isWaiting = false;
      const ms = performance.now() - sentAt;
      if (reply.status === 200) {
        tally.acknowledged += 1;
        tally.acknowledgedMs.push(ms);
      } else if (reply.status === 503) {
        tally.refused += 1;
        tally.refusedMs.push(ms);
      }
      if (reply.status !== 200 && (reply.status !== 503 || reply.retryAfter === undefined)) tally.faults += 1;
      if (reply.retryAfter === undefined) send();
      else setTimeout(send, reply.retryAfter * 1000 * (1 + Math.random()));
    });
    socket
      .on('error', () => {})
      .on('close', () => {
        if (isWaiting) tally.faults += 1;
        resolve();
      });
    send();
  });
}

/** Null while it is not complete. */
function readReply(text: string): { status: number; retryAfter: number | undefined } | null {
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
