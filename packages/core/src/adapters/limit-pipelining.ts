import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface PipeliningLimits {
  /** Requests of one connection that are processed at the same time. @default 32 */
  readonly maxRequests?: number;
  /** Bytes of responses that a connection may leave unread before its next request is processed. @default 1 MiB */
  readonly maxUnreadBytes?: number;
  /** Time in which a connection beyond a limit must complete a response. @default 30_000 */
  readonly stallTimeoutMs?: number;
}

const DEFAULTS: Required<PipeliningLimits> = {
  maxRequests: 32,
  maxUnreadBytes: 1024 * 1024,
  stallTimeoutMs: 30_000,
};

/**
 * Node parses everything that has arrived before a pause takes effect, which is up to 64 KiB of requests. A
 * connection is closed when more than this many times `maxRequests` requests have no response yet.
 */
const CLOSE_FACTOR = 2;

/**
 * Wraps the request listener of a `node:http` server, so that one client cannot fill the memory by sending
 * requests on one connection without reading the responses. Node itself does not limit this.
 *
 * A request waits until the responses to all earlier requests of the connection are complete. Waiting
 * requests are processed one per turn of the event loop, as long as the connection is within the limits, and
 * responses are sent in order. Meanwhile, nothing more is read from the connection. It is closed if it
 * completes no response in time, or if more than twice `maxRequests` requests have no response yet. Requests
 * that are still waiting are then not processed.
 *
 * @example
 * ```ts
 * createServer(limitPipelining(app)).listen(3000);
 * ```
 */
export function limitPipelining(listener: RequestListener, limits: PipeliningLimits = {}): RequestListener {
  const connections = new WeakMap<Socket, Connection>();
  const settings = { ...DEFAULTS, ...limits };
  return (request, response) => {
    const { socket } = request;
    let connection = connections.get(socket);
    if (!connection) {
      connection = new Connection(socket, listener, settings);
      connections.set(socket, connection);
    }
    connection.receive(request, response);
  };
}

class Connection {
  readonly #socket: Socket & { readonly parser?: { onIncoming: unknown } | null };
  readonly #listener: RequestListener;
  readonly #limits: Required<PipeliningLimits>;
  /** Responses to requests in process, until the operating system has all of their bytes. */
  readonly #open = new Set<ServerResponse>();
  readonly #waiting: [IncomingMessage, ServerResponse][] = [];
  #stallTimer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(socket: Socket, listener: RequestListener, limits: Required<PipeliningLimits>) {
    this.#socket = socket;
    this.#listener = listener;
    this.#limits = limits;
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    // Node goes on parsing what has arrived before the connection was closed.
    if (this.#socket.destroyed) return;
    const unanswered = this.#open.size + this.#waiting.length;
    if (unanswered === 0) {
      this.#process(request, response);
    } else if (unanswered >= CLOSE_FACTOR * this.#limits.maxRequests) {
      this.#close();
    } else {
      this.#waiting.push([request, response]);
      if (this.#waiting.length > 1) return;
      this.#pause();
      this.#schedule();
    }
  }

  #complete(response: ServerResponse): void {
    this.#open.delete(response);
    if (this.#waiting.length === 0) return;
    this.#stallTimer?.refresh();
    this.#schedule();
  }

  /** One request per turn of the event loop, so that other connections do not wait for all of them. */
  #schedule(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      if (this.#socket.destroyed || !this.#hasCapacity()) return;
      const next = this.#waiting.shift();
      if (next) this.#process(...next);
      if (this.#waiting.length > 0) this.#schedule();
      else this.#resume();
    });
  }

  #process(request: IncomingMessage, response: ServerResponse): void {
    this.#open.add(response);
    response.on('close', () => this.#complete(response));
    this.#listener(request, response);
  }

  #hasCapacity(): boolean {
    if (this.#open.size === 0) return true;
    return this.#open.size < this.#limits.maxRequests && this.#unreadBytes() <= this.#limits.maxUnreadBytes;
  }

  #unreadBytes(): number {
    let bytes = 0;
    for (const response of this.#open) bytes += response.writableLength;
    return bytes;
  }

  #pause(): void {
    this.#stallTimer = setTimeout(() => this.#socket.destroy(), this.#limits.stallTimeoutMs).unref();
    // Node resumes the socket after each message, so a single pause has no effect.
    this.#socket.on('resume', this.#pauseSocket).once('close', this.#stopWaiting);
    this.#socket.pause();
  }

  #resume(): void {
    this.#stopWaiting();
    this.#socket.off('resume', this.#pauseSocket).off('close', this.#stopWaiting);
    this.#socket.resume();
  }

  #close(): void {
    this.#waiting.length = 0;
    // Node would create a request and a response for everything else that has arrived. The parser is not
    // public, but setting this property at worst has no effect.
    if (this.#socket.parser) this.#socket.parser.onIncoming = stopParsing;
    this.#socket.destroy();
  }

  readonly #pauseSocket = () => {
    this.#socket.pause();
  };

  readonly #stopWaiting = () => {
    clearTimeout(this.#stallTimer);
    this.#waiting.length = 0;
  };
}

/** Returns the code for an upgrade, after which the parser ignores the rest. */
function stopParsing(): number {
  return 2;
}
