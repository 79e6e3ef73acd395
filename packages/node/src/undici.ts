import { Agent, type Dispatcher } from 'undici';
import { MAX_REPLY_BYTES } from './reply-body.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface UndiciTransportOptions {
  /** Connections that are kept to the server. @default 32 */
  readonly connections?: number | undefined;
  /** How long an idle one is kept, unless the server says less. @default 30000 */
  readonly keepAliveTimeoutMs?: number | undefined;
  /** Sends in place of an Agent of its own, e.g. undici's `MockAgent` in tests or a `ProxyAgent`. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** A transport whose connections can be closed. */
export interface UndiciTransport extends Transport {
  /** Waits for what is under way and closes the connections; a dispatcher of the caller's stays open. */
  close(): Promise<void>;
}

/** The client bounds each attempt by its signal; undici's own limits would only get in between. */
const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * A transport over undici's dispatcher, for servers that send many events: it costs less than `fetch`, and its pool
 * is bounded. Needs the package `undici` 8.
 */
export function undiciTransport(options: UndiciTransportOptions = {}): UndiciTransport {
  const { connections = 32, keepAliveTimeoutMs = 30_000 } = options;
  const dispatcher =
    options.dispatcher ?? new Agent({ connections, keepAliveTimeout: keepAliveTimeoutMs, ...NO_LIMITS });
  const send = (request: TransportRequest): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      const { method, url, headers, body } = request;
      const { origin, pathname, search } = new URL(url);
      dispatcher.dispatch(
        { origin, path: pathname + search, method, headers, body, ...NO_LIMITS },
        exchange(request.signal, resolve, reject),
      );
    });
  return Object.assign(send, {
    close: async () => {
      if (options.dispatcher === undefined) await dispatcher.close();
    },
  });
}

/** Gathers a reply as it comes, without the stream that undici's `request` makes of it. */
function exchange(
  signal: AbortSignal,
  resolve: (response: TransportResponse) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const body = Promise.withResolvers<string>();
  // Nobody waits for the body of a request that fails before.
  body.promise.catch(() => {});
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let abort = () => {};
  const onAbort = () => abort();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    onRequestStart(controller) {
      abort = () => controller.abort(new Error('The attempt is over'));
      // It may have waited for a connection until then.
      if (signal.aborted) abort();
    },
    onResponseStart(_controller, status, headers) {
      // 1xx comes before the reply.
      if (status < 200) return;
      const get = (name: string) => {
        const value = headers[name];
        return (Array.isArray(value) ? value[0] : value) ?? null;
      };
      resolve({ status, headers: { get }, text: () => body.promise });
    },
    onResponseData(controller, chunk) {
      bytes += chunk.byteLength;
      if (bytes <= MAX_REPLY_BYTES) chunks.push(chunk);
      else controller.abort(new Error('The reply is too long'));
    },
    onResponseEnd() {
      signal.removeEventListener('abort', onAbort);
      body.resolve(Buffer.concat(chunks).toString());
    },
    onResponseError(_controller, error) {
      signal.removeEventListener('abort', onAbort);
      reject(error);
      body.reject(error);
    },
  };
}
