/** A request as the adapters hand it over. */
export interface HttpRequest {
  readonly method: string;
  /** Path below the mount point without query, percent-encoding kept. */
  readonly path: string;
  /** Where Affkit is mounted, such as `/affiliates`; absent or empty at the root. */
  readonly basePath?: string;
  readonly query: URLSearchParams;
  /** A header's value by lower-case name; several of one name are joined as HTTP rules. */
  header(name: string): string | undefined;
  /** The body's bytes, or `'too_large'` as soon as they exceed `limit`. Read at most once. */
  body(limit: number): Promise<Uint8Array | 'too_large'>;
  /** The visitor's address as the embedding app determines it; never stored. */
  readonly ip: string | null;
  /** Did the visitor come by https? */
  readonly secure: boolean;
  /** Names the request in logs and in the reply; made here when absent. */
  readonly requestId?: string;
}

/** A reply: `body` is sent as JSON, or as it is when it is a text; `null` is no body. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}
