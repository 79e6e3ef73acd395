import { attempt, guard } from './page.ts';

const TIMEOUT_MS = 10_000;
/** Browsers allow 64 KiB in total for all pending `keepalive` requests. */
const KEEPALIVE_MAX = 50_000;

/** A response with the fields of its body. Status 0 stands for a failed request or an unreadable body. */
export interface Reply extends Readonly<Record<string, unknown>> {
  status: number;
  /** `Retry-After` in milliseconds; 0 if there is none. */
  waitMs: number;
}

/**
 * Sends one POST request and never rejects. A string body is sent as `text/plain;charset=UTF-8`, which needs
 * no CORS preflight. `keepalive` lets the request outlive the page. `credentials` lets a same-site server set
 * the cookie.
 */
export const post = guard(
  async (url: string, body: unknown): Promise<Reply> => {
    const text = JSON.stringify(body);
    const response = await fetch(attempt(() => new URL(url, location.href).href) || url, {
      method: 'POST',
      body: text,
      credentials: 'include',
      keepalive: text.length < KEEPALIVE_MAX,
      priority: 'low',
      // Browsers before 2022 lack `AbortSignal.timeout`; they get undefined, which means no timeout.
      signal: attempt(() => AbortSignal.timeout(TIMEOUT_MS)) as AbortSignal,
    });
    // A JSON body that is not an object has no fields, so it needs no special case.
    const answer: object | null = await response.json().catch(() => null);
    return {
      ...answer,
      status: answer || !response.ok ? response.status : 0,
      waitMs: (response.headers.get('Retry-After') as unknown as number) * 1000 || 0,
    };
  },
  { status: 0, waitMs: 0 },
);

/**
 * Statuses for which the same request may succeed later; any other status is final. The server responds with
 * 425 to requests of prerendered pages.
 */
export const RETRYABLE = /^(0|408|42[59]|5..)$/;
