import { attempt, guard } from './page.ts';

const TIMEOUT_MS = 10_000;
/** Longer bodies are sent without `keepalive`. Browsers allow 64 KiB for all pending `keepalive` requests. */
const KEEPALIVE_MAX = 50_000;

/**
 * A response, with the fields of its body. Status 0 means that the request failed or the body could not be
 * read.
 */
export interface Reply extends Readonly<Record<string, unknown>> {
  status: number;
  /** `Retry-After` in milliseconds, or 0 if there is none. */
  waitMs: number;
}

/**
 * Sends a POST request. It never rejects. The body is a string, so it is sent as `text/plain;charset=UTF-8`,
 * which needs no CORS preflight. With `keepalive`, the request continues after the page is closed. With
 * `credentials`, a same-site server can set the cookie.
 */
export const post = guard(
  async (url: string, body: unknown): Promise<Reply> => {
    const text = JSON.stringify(body);
    const response = await fetch(attempt(() => new URL(url, location.href).href) || url, {
      keepalive: text.length < KEEPALIVE_MAX,
      // Browsers from before 2022 have no `AbortSignal.timeout`. The signal is then undefined, and there is
      // no timeout.
      signal: attempt(() => AbortSignal.timeout(TIMEOUT_MS)) as AbortSignal,
      credentials: 'include',
      priority: 'low',
      body: text,
      method: 'POST',
    });
    // A JSON body that is not an object needs no special case, because it has no fields.
    const answer: object | null = await response.json().catch(() => null);
    return {
      ...answer,
      status: answer || !response.ok ? response.status : 0,
      waitMs: (response.headers.get('Retry-After') as unknown as number) * 1000 || 0,
    };
  },
  { status: 0, waitMs: 0 },
);
