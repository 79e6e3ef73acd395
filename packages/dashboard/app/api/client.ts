import * as messages from '#messages/api.ts';
import { API_PATH } from '../mount.ts';

type QueryValue = string | number | boolean | undefined | null;
/** Query parameters. Missing and empty values are not sent. */
export type Query = Readonly<Record<string, QueryValue>>;

/**
 * A change fails if no reply arrives within this time. Without this limit, the user might never be able to close the
 * dialog that sent the change, because a dialog cannot be closed before its request ends.
 */
const TIMEOUT_MS = 60_000;

/** Thrown for a reply that is not a success, or when there was no reply (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The error code of the API, `network` if no reply arrived, or `invalid_reply` if the reply has no error code. */
  readonly code: string;
  readonly requestId: string | null;
  /** The time to wait before the next attempt, if the reply says so. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    {
      status,
      code,
      requestId = null,
      retryAfterSeconds = null,
    }: { status: number; code: string; requestId?: string | null; retryAfterSeconds?: number | null },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether the request was rejected because of the user's role. */
export function isForbidden(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 403 && error.code === 'forbidden';
}

/** Whether the reply is missing, or is not from Affkit. In both cases, the request may have succeeded. */
export function isLost(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'network' || error.code === 'invalid_reply');
}

/** The URL of an API route, with its query. */
export function apiUrl(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return API_PATH + path + (text === '' ? '' : `?${text}`);
}

/** The listener of `onSignedOut`. Undefined before the first call of `onSignedOut`, and null after a removal. */
let signedOut: (() => void) | null | undefined;
let isSignedOutEarly = false;

/**
 * Sets the function to call when a reply says that the session has ended. If such a reply arrived before the first
 * listener was set, the function is called at once. After a listener was removed, such replies are ignored until the
 * next listener is set, because they belong to the earlier session.
 * @returns a function that removes the listener
 */
export function onSignedOut(listener: () => void): () => void {
  signedOut = listener;
  if (isSignedOutEarly) listener();
  isSignedOutEarly = false;
  return () => {
    if (signedOut === listener) signedOut = null;
  };
}

/**
 * Reads a route.
 * @throws ApiError
 */
export function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return request<T>(apiUrl(path, query), { signal: signal ?? null });
}

/**
 * Sends a change to a route. The request is authorized by the session cookie and the `Origin` header.
 * @throws ApiError
 */
export function send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T> {
  return request<T>(apiUrl(path), {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
}

/**
 * Sends a request. Without a `signal` in `init`, it fails after a minute as if the server could not be reached.
 * @throws ApiError
 */
export async function request<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, {
    credentials: 'same-origin',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...init,
  }).catch(() => {
    throw new ApiError(messages.unreachable, { status: 0, code: 'network' });
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as T;
  const error = toApiError(response, body);
  if (error.code === 'unauthenticated') {
    isSignedOutEarly = signedOut === undefined;
    signedOut?.();
  }
  throw error;
}

function toApiError({ status, headers }: Response, body: unknown): ApiError {
  const { error, code } = (body ?? {}) as { readonly error?: unknown; readonly code?: unknown };
  const message = typeof error === 'string' ? error : messages.invalidReply;
  return new ApiError(message, {
    status,
    code: typeof code === 'string' ? code : 'invalid_reply',
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: Number(headers.get('retry-after')) || null,
  });
}
