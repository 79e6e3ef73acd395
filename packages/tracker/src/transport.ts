import { attempt } from './page.ts';

const TIMEOUT_MS = 10_000;
/** Browsers refuse `keepalive` above 64 KiB over all such requests under way. */
const KEEPALIVE_MAX = 50_000;

/** What came back. Status 0 means that nothing did, or nothing that can be read. */
export interface Reply {
  status: number;
  body: Readonly<Record<string, unknown>>;
  /** The server's `Retry-After`; 0 without one. */
  waitMs: number;
}

/**
 * Posts once and never rejects. A text body goes as `text/plain;charset=UTF-8`, which needs no CORS
 * preflight; the request outlives the page; credentials let a server of the same site set the cookie itself.
 */
export async function post(url: string, body: unknown): Promise<Reply> {
  try {
    const text = JSON.stringify(body);
    const response = await fetch(url, {
      method: 'POST',
      body: text,
      credentials: 'include',
      keepalive: text.length < KEEPALIVE_MAX,
      priority: 'low',
      // Browsers of before 2022 lack it, and wait for as long as they like: `fetch` takes undefined for none.
      signal: attempt(() => AbortSignal.timeout(TIMEOUT_MS)) as AbortSignal,
    });
    // A body that is JSON but no object has none of the fields either.
    const answer: Reply['body'] | null = await response.json().catch(() => null);
    return {
      status: answer || !response.ok ? response.status : 0,
      body: answer || {},
      waitMs: Number(response.headers.get('Retry-After')) * 1000 || 0,
    };
  } catch {
    return { status: 0, body: {}, waitMs: 0 };
  }
}

/**
 * Whether to take the answer as it is; otherwise the same request may succeed later. 425 is the server's word
 * for a page that nobody has seen yet.
 */
export function isFinal(status: number): boolean {
  return !/^(0|408|42[59]|5..)$/.test(status as unknown as string);
}
