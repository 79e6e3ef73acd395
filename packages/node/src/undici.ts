import { Agent, type Dispatcher } from 'undici';
import { createDeferred } from './deferred.ts';
import { configurationError } from './errors.ts';
import { MAX_RESPONSE_BYTES } from './response-body.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Options of {@link undiciTransport}. */
export interface UndiciTransportOptions {
  /**
   * Maximum number of connections to the server. Further requests wait for a free connection.
   *
   * @default 32
   */
  readonly connections?: number | undefined;
  /**
   * The time after which an idle connection is closed, in milliseconds. The server may request a shorter
   * time.
   *
   * @default 30000
   */
  readonly keepAliveTimeoutMs?: number | undefined;
  /**
   * The dispatcher to use instead of a new `Agent`, e.g. a `ProxyAgent`, or undici's `MockAgent` in tests. With
   * this option, the other options are ignored.
   */
  readonly dispatcher?: Dispatcher | undefined;
}

/** A transport whose connections can be closed. */
export interface UndiciTransport extends Transport {
  /** Waits for pending requests and closes the connections. Does not close a `dispatcher` that you passed. */
  close(): Promise<void>;
}

/** The signal of each request limits its time, so undici's own timeouts are disabled. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * Creates a transport with a bounded connection pool, for servers that send many events. It uses less CPU
 * time than `fetch`. Requires the package `undici` 8. Does not work in Bun, which replaces that package.
 *
 * @throws AffkitConfigurationError if the dispatcher cannot send requests, as in Bun
 *
 * @example
 * ```ts
 * const transport = undiciTransport({ connections: 32 });
 * const affkit = new Affkit({ transport });
 * ```
 */
export function undiciTransport(options: UndiciTransportOptions = {}): UndiciTransport {
  const { connections = 32, keepAliveTimeoutMs = 30_000 } = options;
  const dispatcher =
    options.dispatcher ?? new Agent({ connections, keepAliveTimeout: keepAliveTimeoutMs, ...NO_TIMEOUTS });
  // Bun replaces the package `undici` with classes that lack this method.
  if (typeof dispatcher.dispatch !== 'function') {
    throw configurationError(
      'The dispatcher of undici has no method dispatch. In Bun, omit the option transport, so that the client uses fetch',
    );
  }
  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    const { method, url, headers, body, signal } = request;
    const { origin, pathname, search } = new URL(url);
    const options = { origin, path: pathname + search, method, headers, body: body || null, ...NO_TIMEOUTS };
    if (request.prefersStream) return stream(await dispatcher.request({ ...options, signal }));
    return new Promise((resolve, reject) => {
      dispatcher.dispatch(options, exchange(signal, resolve, reject));
    });
  };
  return Object.assign(send, {
    close: async () => {
      if (options.dispatcher === undefined) await dispatcher.close();
    },
  });
}

/** Collects the response directly, without the cost of the stream that undici's `request` creates. */
function exchange(
  signal: AbortSignal,
  resolve: (response: TransportResponse) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const body = createDeferred<string>();
  // Avoids an unhandled rejection: if the request fails before the headers arrive, nothing awaits the body.
  body.promise.catch(() => {});
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let abort = () => {};
  const onAbort = () => abort();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    onRequestStart(controller) {
      abort = () => controller.abort(new Error('The request was aborted'));
      // The signal may have been aborted while the request waited for a connection.
      if (signal.aborted) abort();
    },
    onResponseStart(_controller, status, headers) {
      // Informational (1xx) responses precede the final one.
      if (status < 200) return;
      resolve({ status, headers: readableHeaders(headers), text: () => body.promise });
    },
    onResponseData(controller, chunk) {
      bytes += chunk.byteLength;
      if (bytes <= MAX_RESPONSE_BYTES) chunks.push(chunk);
      else controller.abort(new Error(`The response is longer than ${MAX_RESPONSE_BYTES} bytes`));
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

/** A response whose body is read while it arrives. */
function stream({ statusCode, headers, body }: Dispatcher.ResponseData): TransportResponse {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const reader = {
    async read() {
      const { done = false, value } = await chunks.next();
      return { done, value: done ? undefined : value };
    },
    async cancel() {
      // Without a listener, the error of the destroyed stream would end the process.
      body.on('error', () => {});
      body.destroy();
    },
  };
  return {
    status: statusCode,
    headers: readableHeaders(headers),
    body: { getReader: () => reader },
    text: () => body.text(),
  };
}

function readableHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): TransportResponse['headers'] {
  return {
    get: (name) => {
      const value = headers[name];
      return (Array.isArray(value) ? value[0] : value) ?? null;
    },
  };
}
