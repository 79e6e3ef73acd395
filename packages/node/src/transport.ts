/** One request, ready to be sent. */
export interface TransportRequest {
  readonly method: 'POST';
  readonly url: string;
  /** Holds the token: log no headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborted when the attempt's time is up or the caller gives up. */
  readonly signal: AbortSignal;
}

/** The reply. Its body is read once: by `body` where there is one, which can be given up when it is too long. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body?: { getReader(): ByteReader } | null | undefined;
  text(): Promise<string>;
}

/** The part of a stream's reader that is used. */
interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/**
 * Sends one request and rejects where no reply arrived. It must not follow redirects, which would carry the token
 * elsewhere, and must not repeat the request: the client does that.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The part of `fetch` that is used; the global one of every runtime fits. */
export type FetchLike = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body: string;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<TransportResponse>;

/** A transport over `fetch`; without one, over what the global is at the time of the request. */
export function fetchTransport(fetchLike: FetchLike | undefined): Transport {
  return ({ url, method, headers, body, signal }) => {
    const send: FetchLike = fetchLike ?? globalThis.fetch;
    return send(url, { method, headers: { ...headers }, body, redirect: 'manual', signal });
  };
}
