/** Lets the caller observe and stop the reading of a body. */
export interface BodyReading {
  /** Called after each chunk with the number of bytes that have arrived so far. */
  readonly onProgress?: (bytes: number) => void;
  /** Stops the reading. The promise is then rejected with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** A request, independent of the framework that received it. */
export interface HttpRequest {
  readonly method: string;
  /** Path below the mount point, percent-encoded and without the query. */
  readonly path: string;
  /** Path where Affkit is mounted, such as `/affiliates`. Absent or empty at the root. */
  readonly basePath?: string;
  readonly query: URLSearchParams;
  /** A header by its lower-case name. Repeated headers are joined as HTTP specifies. */
  header(name: string): string | undefined;
  /** Reads the body, or returns `'too_large'` as soon as it exceeds `limit` bytes. Called at most once. */
  body(limit: number, reading?: BodyReading): Promise<Uint8Array | 'too_large'>;
  /** IP address of the visitor, as the embedding app determines it. Never stored. */
  readonly ip: string | null;
  /** Whether the visitor used HTTPS. */
  readonly secure: boolean;
  /** Id of the request in logs and in the reply. Generated if absent. */
  readonly requestId?: string;
}

/**
 * A reply. A `body` of text or bytes is sent as it is, a `ReadableStream` of bytes is streamed, `null` is an
 * empty body, any other value is sent as JSON.
 */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie` headers. An adapter must send each as a header of its own. */
  readonly cookies?: readonly string[];
  readonly body: unknown;
}
