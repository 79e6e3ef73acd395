import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A proxy between the SDK and the server. It drops requests and replies, or replies itself. */
export interface ChaosProxy {
  readonly baseUrl: string;
  /** The number of answers of each kind. */
  readonly answers: ReadonlyMap<Answer, number>;
  /** The number of requests that the server accepted but whose reply did not reach the client. */
  readonly lostReplies: number;
  /** The number of requests that repeated an event that the server had already accepted. */
  readonly repeats: number;
  /** Whether the proxy replies to every request with its own page. */
  showsPage: boolean;
  close(): Promise<void>;
}

const HTML = { 'content-type': 'text/html' };
/** The proxy's own replies. */
const OWN_REPLIES = {
  'HTML 200': [200, HTML, '<html>Please log in</html>'],
  'empty 200': [200, {}, ''],
  'empty 204': [204, {}, ''],
  'HTML 409': [409, HTML, '<h1>409 Conflict</h1>'],
  'HTML 400': [400, HTML, '<h1>400 Bad Request</h1>'],
  'HTML 413': [413, HTML, '<h1>413 Request Entity Too Large</h1>'],
  'HTML 500': [500, HTML, '<h1>500 Internal Server Error</h1>'],
  'HTML 502': [502, HTML, '<h1>502 Bad Gateway</h1>'],
  '503': [503, { 'retry-after': '0' }, ''],
} satisfies Readonly<Record<string, readonly [number, Record<string, string>, string]>>;

/**
 * The result of a request. With `reset`, `cut off` and `too late`, no complete reply reached the client in time.
 * `no server` means that the server was killed before it replied.
 */
type Answer = keyof typeof OWN_REPLIES | 'reset' | 'cut off' | 'too late' | 'no server' | 'reply';
type Fault = Exclude<Answer, 'no server' | 'reply'>;

export const FAULTS = [...Object.keys(OWN_REPLIES), 'reset', 'cut off', 'too late'] as readonly Fault[];
/** On average, one in this many requests gets a fault. */
const FAULT_INTERVAL = 4;
const MAX_DELAY_MS = 40;

/**
 * Starts the proxy on a free port.
 * @param random returns a random integer below its argument
 * @param options.targetPort returns the port of the server; undefined while the server starts
 * @param options.lateMs the delay of a reply that must arrive after the client's timeout
 * @param options.onRequest called with the number of requests so far
 */
export async function startChaosProxy(
  random: (below: number) => number,
  options: {
    readonly targetPort: () => number | undefined;
    readonly lateMs: number;
    readonly onRequest: (count: number) => void;
  },
): Promise<ChaosProxy> {
  const answers = new Map<Answer, number>();
  const accepted = new Set<string>();
  const agent = new Agent({ keepAlive: true });
  let [requests, lostReplies, repeats] = [0, 0, 0];
  let showsPage = false;

  const forward = async (incoming: IncomingMessage, body: Buffer): Promise<Reply | undefined> => {
    const event = describeEvent(incoming, body);
    if (accepted.has(event)) repeats += 1;
    const reply = await fetchReply(agent, options.targetPort(), incoming, body);
    if (reply !== undefined && reply.status < 300) accepted.add(event);
    return reply;
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(incoming);
    const fault = showsPage
      ? 'HTML 200'
      : random(FAULT_INTERVAL) === 0
        ? FAULTS[random(FAULTS.length)]
        : undefined;
    // Half of the requests with a fault still reach the server. The server records the event, but its reply is lost.
    const isForwarded = !showsPage && (fault === undefined || random(2) === 0);
    requests += 1;
    options.onRequest(requests);
    if (random(3) === 0) await sleep(random(MAX_DELAY_MS));
    const reply = isForwarded ? await forward(incoming, body) : undefined;
    if (fault !== undefined && reply !== undefined && reply.status < 300) lostReplies += 1;
    const kind = fault ?? (reply === undefined ? 'no server' : 'reply');
    answers.set(kind, (answers.get(kind) ?? 0) + 1);
    if (fault === 'too late') await sleep(options.lateMs);
    if (fault !== undefined && fault in OWN_REPLIES) {
      const [status, headers, text] = OWN_REPLIES[fault as keyof typeof OWN_REPLIES];
      response.writeHead(status, headers).end(text);
    } else if (reply === undefined || fault === 'reset') incoming.socket.resetAndDestroy();
    else if (fault === 'cut off') {
      response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
      response.write(reply.body.subarray(0, reply.body.length / 2), () => incoming.socket.destroy());
    } else response.writeHead(reply.status, reply.headers).end(reply.body);
  };
  // `answer` rejects if the connection breaks, for example because the sender was killed.
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => incoming.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    answers,
    get lostReplies() {
      return lostReplies;
    },
    get repeats() {
      return repeats;
    },
    get showsPage() {
      return showsPage;
    },
    set showsPage(value) {
      showsPage = value;
    },
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const FORWARDED_HEADERS = ['content-type', 'retry-after', 'x-request-id', 'x-should-retry'] as const;

/** Returns a text that is the same for all requests with the same event. */
function describeEvent({ url }: IncomingMessage, body: Buffer): string {
  const { transaction_id, refund_id, click_id } = JSON.parse(body.toString()) as Record<string, unknown>;
  return [url, transaction_id ?? click_id, refund_id].join(' ');
}

/** Forwards a request. Returns undefined if the server does not answer. */
async function fetchReply(
  agent: Agent,
  port: number | undefined,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<Reply | undefined> {
  if (port === undefined) return undefined;
  const { method, url, headers } = incoming;
  const outgoing = request({ agent, host: '127.0.0.1', port, method, path: url, headers });
  outgoing.end(body);
  try {
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
    const forwarded = FORWARDED_HEADERS.flatMap((name) => {
      const value = reply.headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    });
    return {
      status: reply.statusCode ?? 0,
      headers: Object.fromEntries(forwarded),
      body: await buffer(reply),
    };
  } catch {
    return undefined;
  }
}
