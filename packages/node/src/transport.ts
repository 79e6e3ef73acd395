/** An HTTP request for a {@link Transport}. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** Contains the token. Never log the headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if the request has no body. */
  readonly body: string;
  /** Whether the reply may be long. If so, the transport should offer its `body` as a stream. */
  readonly prefersStream?: boolean;
  /** Aborted when the request times out or the caller aborts the call. */
  readonly signal: AbortSignal;
}

/**
 * The response of a {@link Transport}. The client reads the body once. If `body` is a web stream, the client
 * reads this stream, so that it can cancel an overlong body. Otherwise, it calls `text()`.
 */
export interface TransportResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body?: { getReader(): ByteReader } | null | undefined;
  text(): Promise<string>;
}

/** The part of `ReadableStreamDefaultReader` that the client uses. */
interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/**
 * Sends one HTTP request. Rejects if no response arrives. It must not follow redirects, which would send the
 * token to another host. It must not retry, because the client does that.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The part of `fetch` that the client uses. The global `fetch` of every runtime satisfies it. */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body: string | null;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<TransportResponse>;

/**
 * Creates a transport that uses `fetch`.
 *
 * @param fetchLike the `fetch` to use; if undefined, the global `fetch` is looked up at each request
 */
export function fetchTransport(fetchLike: FetchLike | undefined): Transport {
  return ({ url, method, headers, body, signal }) => {
    const send: FetchLike = fetchLike ?? globalThis.fetch;
    return send(url, { method, headers: { ...headers }, body: body || null, redirect: 'manual', signal });
  };
}
