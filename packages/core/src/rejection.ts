import { ERRORS, type ErrorCode } from '@affkit/protocol';

/**
 * The reason why a request was rejected. Use cases return a rejection as a value, so that the compiler makes
 * every caller handle it. Callers check for it with `isRejection`. Bugs and outages are thrown as exceptions
 * instead.
 */
export class Rejection {
  /** A code of the protocol's error table. The table also contains the HTTP status of each code. */
  readonly code: ErrorCode;
  /** The text of the response's `error` field. */
  readonly message: string;
  /** Additional documented fields of the error response. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The value of the `Retry-After` header, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  /** @param message the text of the `error` field. Defaults to the message of the code in the error table */
  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].message,
    options: { details?: Record<string, unknown>; retryAfterSeconds?: number } = {},
  ) {
    this.code = code;
    this.message = message;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export function isRejection(value: unknown): value is Rejection {
  return value instanceof Rejection;
}

/**
 * Thrown when Affkit temporarily cannot do the work. Either too many writes are queued, the engine is closed,
 * or the database or the identity provider cannot be reached. Nothing was stored, so it is safe to retry.
 * There is one exception: if a worker of a Citus cluster is lost while it stores clicks, the clicks may have been
 * stored. Even then, a retry with the same idempotency key is safe. Over HTTP, this error becomes a 503 with
 * `Retry-After`.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
