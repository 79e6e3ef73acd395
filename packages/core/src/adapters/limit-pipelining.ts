import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface PipeliningLimits {
  /** The maximum number of requests of one connection that are processed at the same time. @default 32 */
  readonly maxRequests?: number;
  /**
   * The maximum size of unread responses, in bytes. While a connection exceeds this size, its next request
   * waits.
   * @default 1 MiB
   */
  readonly maxUnreadBytes?: number;
  /**
   * A connection that has queued requests is closed if none of its responses completes within this many
   * milliseconds.
   * @default 30_000
   */
  readonly stallTimeoutMs?: number;
}

const DEFAULTS: Required<PipeliningLimits> = {
  maxRequests: 32,
  maxUnreadBytes: 1024 * 1024,
  stallTimeoutMs: 30_000,
};

/**
 * While requests are queued, reading from the connection is paused. Before the pause takes effect, Node parses up to
 * 64 KiB of requests that have already arrived. The connection is closed when the number of requests without a
 * response exceeds this multiple of `maxRequests`.
 */
const CLOSE_FACTOR = 2;

/**
 * Wraps the request listener of a `node:http` server, and limits the requests and unread responses of each
 * connection. Node has no such limit, so a client that sends requests without reading the responses could fill
 * the memory.
 *
 * A request is queued if it arrives while an earlier response of the connection is incomplete. While the
 * connection is within the limits, one queued request is started per turn of the event loop. Responses are
 * sent in order. While requests are queued, nothing more is read from the connection.
 *
 * The connection is closed if it completes no response in time, or if more than twice `maxRequests` requests
 * have no response yet. Queued requests are then dropped.
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
  /** Responses of which some bytes have not been passed to the operating system yet. */
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
    // After the connection is closed, Node still parses the requests that had already arrived.
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

  /** Processes one request per turn of the event loop, so that this connection does not block the others. */
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
    // Node resumes the socket after each message, so a single call of `pause` is not enough.
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
    // Without this assignment, Node would create objects for all requests that have already arrived. The parser is
    // not a public API of Node. If Node changes the parser, the assignment has no effect.
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

/** Returns the code for a protocol upgrade, after which Node's parser ignores the rest of the data. */
function stopParsing(): number {
  return 2;
}
