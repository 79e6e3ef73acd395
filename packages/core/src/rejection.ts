import { ERRORS, type ErrorCode } from '@affkit/protocol';

/** A request that is refused: a value, never thrown. Its `code` is one of the protocol's error table. */
export class Rejection {
  readonly code: ErrorCode;
  readonly message: string;
  /** Further documented fields of the error's body. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

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
 * The database can't be used now, and nothing was stored: too many writes are waiting, the engine is closing, or the
 * server can't be reached.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
