/** Lets the caller observe or abort the reading of a body. */
export interface BodyReading {
  /** Called after each chunk with the number of bytes that have arrived so far. */
  readonly onProgress?: (bytes: number) => void;
  /** Aborts the read. The promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** A request in a form that does not depend on the framework that received it. */
export interface HttpRequest {
  readonly method: string;
  /** The path below the mount point, percent-encoded, without the query. */
  readonly path: string;
  /** The path at which Affkit is mounted, such as `/affiliates`. Absent or empty for the root. */
  readonly basePath?: string;
  readonly query: URLSearchParams;
  /** Returns a header by its lower-case name. Repeated headers are joined as defined by HTTP. */
  header(name: string): string | undefined;
  /**
   * Reads the body. Resolves to `'too_large'` as soon as the body exceeds `limit` bytes. Must be called at most once.
   */
  body(limit: number, reading?: BodyReading): Promise<Uint8Array | 'too_large'>;
  /** The visitor's IP address as determined by the embedding app. It is never stored. */
  readonly ip: string | null;
  /** Whether the visitor used HTTPS. */
  readonly secure: boolean;
  /** The id of the request in logs and in the reply. If absent, an id is generated. */
  readonly requestId?: string;
}

/**
 * A reply. If `body` is text or bytes, it is sent unchanged; a `ReadableStream` of bytes is streamed. `null`
 * means an empty body. Any other value is sent as JSON.
 */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The values of the `Set-Cookie` headers. An adapter must send each value as a separate header. */
  readonly cookies?: readonly string[];
  readonly body: unknown;
}
