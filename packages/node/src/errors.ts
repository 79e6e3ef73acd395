/** The fields of an {@link AffkitError} other than its message. */
export interface AffkitErrorDetails {
  readonly code: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly attempts?: number | undefined;
  readonly retryable?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * Base class of the errors that this package throws. Neither the message nor any other field contains the
 * token.
 *
 * @example
 * ```ts
 * try {
 *   await affkit.sale({ transaction_id: payment.id, amount_cents: 1999, customer_key: user.id });
 * } catch (error) {
 *   if (!(error instanceof AffkitError)) throw error;
 *   if (error.retryable) return retryLater();
 *   throw error;
 * }
 * ```
 */
export class AffkitError extends Error {
  // Each class sets its name in a static field, because bundlers do not remove unused subclasses with a static block.
  static override readonly name: string = 'AffkitError';
  static {
    // The name of an error is that of its class. If the class declared `name` as an accessor, TypeScript would not let
    // subclasses declare a field `name`.
    Object.defineProperty(AffkitError.prototype, 'name', {
      configurable: true,
      get() {
        return this.constructor.name;
      },
      set(value) {
        Object.defineProperty(this, 'name', { value, writable: true, configurable: true });
      },
    });
  }
  // The fields have the modifier `declare`, because the constructor sets them: the build then omits their declarations.

  /**
   * A stable, machine-readable code. Branch on it, never on the message. It is the server's `code` if the
   * response had one, otherwise `http_<status>`. Errors that this package detects itself have codes such as
   * `invalid_configuration`, `invalid_field`, `connection_failed`, `timeout`, `deadline_exceeded` or
   * `aborted`.
   */
  declare readonly code: string;
  /** HTTP status of the response that made the call fail; undefined if it failed otherwise, e.g. by a timeout. */
  declare readonly status: number | undefined;
  /**
   * The id of the request that made the call fail, as in the server's log. Undefined if no response made the call
   * fail, or if that response carried no id.
   */
  declare readonly requestId: string | undefined;
  /** Number of HTTP requests sent for this call; 0 if the call failed before the first request. */
  declare readonly attempts: number;
  /**
   * Whether the same call may succeed later and is safe to repeat. Calls of the class `Affkit` are always safe
   * to repeat.
   */
  declare readonly retryable: boolean;

  constructor(message: string, details: AffkitErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.attempts = details.attempts ?? 0;
    this.retryable = details.retryable ?? false;
  }

  /** The fields for structured logs, without `stack` and `cause`. */
  toJSON(): Record<string, unknown> {
    // `name` and `message` are not enumerable, unlike the fields that the constructors set.
    return { name: this.name, message: this.message, ...(this as object) };
  }
}

/**
 * An option or environment variable is missing or invalid, the token function failed, the server answered
 * with a redirect, or the spool cannot be used.
 */
export class AffkitConfigurationError extends AffkitError {
  static override readonly name: string = 'AffkitConfigurationError';
}

/**
 * Creates the error for an invalid option. The message must name the option and must not contain a secret.
 */
export function configurationError(message: string): AffkitConfigurationError {
  return new AffkitConfigurationError(message, { code: 'invalid_configuration' });
}

/**
 * The input of the call is invalid. `attempts` is 0 if this package rejected it before sending; otherwise the
 * server rejected it.
 */
export class AffkitValidationError extends AffkitError {
  static override readonly name: string = 'AffkitValidationError';
}

/** 401: the token or management key is missing, was replaced or revoked, or is of the wrong kind. */
export class AffkitAuthenticationError extends AffkitError {
  static override readonly name: string = 'AffkitAuthenticationError';
}

/** 403: the token or management key does not permit this call. */
export class AffkitPermissionError extends AffkitError {
  static override readonly name: string = 'AffkitPermissionError';
}

/**
 * 404, 405 or 410: the sale (`sale_not_found`) or another resource does not exist, or `baseUrl` does not point to
 * an Affkit server.
 */
export class AffkitNotFoundError extends AffkitError {
  static override readonly name: string = 'AffkitNotFoundError';
}

/**
 * The server answered with 409. A duplicate sale does not throw this error; its call resolves with
 * `status: 'duplicate'`. If another program uses the `transaction_id` of a sale, the sale is not recorded. A spool and
 * `reconcile` report such a sale with this error and the code `transaction_id_taken`.
 */
export class AffkitConflictError extends AffkitError {
  static override readonly name: string = 'AffkitConflictError';
}

/** The server still answered with 429 (too many requests) after all permitted retries. */
export class AffkitRateLimitError extends AffkitError {
  static override readonly name: string = 'AffkitRateLimitError';
}

/** The server still answered with 5xx, 408 or 425 after all permitted retries. */
export class AffkitServerError extends AffkitError {
  static override readonly name: string = 'AffkitServerError';
}

/**
 * The response is not a documented reply of Affkit (code `unexpected_reply`), after all permitted retries. A
 * proxy, firewall or login page has probably answered, e.g. with an HTML page and status 200. `message`
 * contains the status, the content type and the first characters of the response.
 */
export class AffkitUnexpectedReplyError extends AffkitError {
  static override readonly name: string = 'AffkitUnexpectedReplyError';
}

/**
 * No response arrived. The server may or may not have carried out the call. `retryable` says whether you can safely
 * repeat the call.
 */
export class AffkitConnectionError extends AffkitError {
  static override readonly name: string = 'AffkitConnectionError';
}

/**
 * `timeoutMs` (code `timeout`), `deadlineMs` (code `deadline_exceeded`) or the spool's `flushMs` (code
 * `flush_timeout`) was exceeded.
 */
export class AffkitTimeoutError extends AffkitError {
  static override readonly name: string = 'AffkitTimeoutError';
}

/** The caller's `signal` was aborted; `cause` is the signal's `reason`. The event may already be recorded. */
export class AffkitAbortError extends AffkitError {
  static override readonly name: string = 'AffkitAbortError';
}

/**
 * The disk is full, or the spool already holds `maxEvents` events. The event of this call is not stored. The only
 * exception: if the disk becomes full just after the event's file was written, the message says that the event may be
 * stored. Events that are already in the spool are never dropped to make room.
 */
export class AffkitSpoolFullError extends AffkitError {
  static override readonly name: string = 'AffkitSpoolFullError';
}
