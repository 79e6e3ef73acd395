import { Agent, type Dispatcher, request } from 'undici';
import type { Transport, TransportResponse } from './transport.ts';

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

/**
 * A transport over undici's own `request`, for servers that send many events: it costs less than `fetch`, and its
 * pool is bounded. Needs the package `undici` 8.
 */
export function undiciTransport(options: UndiciTransportOptions = {}): UndiciTransport {
  const { connections = 32, keepAliveTimeoutMs = 30_000 } = options;
  // The client bounds each attempt by its signal; undici's own limits would only get in between.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  const own =
    options.dispatcher === undefined
      ? new Agent({ connections, keepAliveTimeout: keepAliveTimeoutMs, ...limits })
      : undefined;
  const dispatcher = options.dispatcher ?? own;
  const send: Transport = async ({ url, method, headers, body, signal }) => {
    const init = { method, headers: { ...headers }, body, signal, ...limits };
    return toResponse(await request(url, dispatcher === undefined ? init : { ...init, dispatcher }));
  };
  return Object.assign(send, {
    close: async () => {
      await own?.close();
    },
  });
}

function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData): TransportResponse {
  return {
    status: statusCode,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return (Array.isArray(value) ? value[0] : value) ?? null;
      },
    },
    text: () => body.text(),
  };
}
