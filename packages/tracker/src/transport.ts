const TIMEOUT_MS = 10_000;
/** Browsers refuse `keepalive` above 64 KiB over all such requests under way. */
const KEEPALIVE_MAX = 50_000;

/** What came back. Status 0 means that nothing did, or nothing that can be read. */
export interface Reply {
  status: number;
  body: Readonly<Record<string, unknown>>;
  /** The server's `Retry-After`; 0 without one. */
  retryAfterMs: number;
}

export type TransportWindow = Pick<Window & typeof globalThis, 'fetch' | 'AbortSignal'>;

/**
 * Posts once and never rejects. A text body goes as `text/plain;charset=UTF-8`, which needs no CORS
 * preflight; the request outlives the page; credentials let a server of the same site set the cookie itself.
 */
export async function post(win: TransportWindow, url: string, body: object): Promise<Reply> {
  try {
    const text = JSON.stringify(body);
    const response = await win.fetch(url, {
      method: 'POST',
      body: text,
      credentials: 'include',
      keepalive: text.length < KEEPALIVE_MAX,
      priority: 'low',
      signal: 'timeout' in win.AbortSignal ? win.AbortSignal.timeout(TIMEOUT_MS) : null,
    });
    // A body that is JSON but no object has none of the fields either.
    const answer: Reply['body'] | null = await response.json().catch(() => null);
    return {
      status: answer || !response.ok ? response.status : 0,
      body: answer || {},
      retryAfterMs: Number(response.headers.get('Retry-After')) * 1000 || 0,
    };
  } catch {
    return { status: 0, body: {}, retryAfterMs: 0 };
  }
}

/** Whether to take the answer as it is; otherwise the same request may succeed later. */
export function isFinal(status: number): boolean {
  return status > 0 && status < 500 && status !== 408 && status !== 429;
}
