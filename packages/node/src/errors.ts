/** What an {@link AffkitError} carries besides its message. */
export interface AffkitErrorDetails {
  readonly code: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly attempts?: number | undefined;
  readonly retryable?: boolean | undefined;
  readonly cause?: unknown;
}

/** Base of every error that this package throws. Its message says what to do and never holds the token. */
export class AffkitError extends Error {
  static {
    AffkitError.prototype.name = 'AffkitError';
  }
  /** A stable word: the server's own `code`, or one of this package's. Branch on it, never on the message. */
  readonly code: string;
  /** HTTP status of the last reply; undefined where none arrived. */
  readonly status: number | undefined;
  /** Names the last request in the server's log. */
  readonly requestId: string | undefined;
  /** Requests sent for this call; 0 where it was refused before the wire. */
  readonly attempts: number;
  /** May the same call succeed later as it is? Repeating it is safe either way. */
  readonly retryable: boolean;

  constructor(message: string, details: AffkitErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.attempts = details.attempts ?? 0;
    this.retryable = details.retryable ?? false;
  }

  /** For structured logs: everything but stack and cause. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, status, requestId, attempts, retryable } = this;
    return { name, code, message, status, requestId, attempts, retryable };
  }
}

/** An option or environment variable is missing or wrong, or the server sends the client elsewhere. */
export class AffkitConfigurationError extends AffkitError {
  static {
    AffkitConfigurationError.prototype.name = 'AffkitConfigurationError';
  }
}

/** The error of a wrong option. Its message names the option, and never repeats a secret. */
export function configurationError(message: string): AffkitConfigurationError {
  return new AffkitConfigurationError(message, { code: 'invalid_configuration' });
}

/** The call's own data was refused, by this package before the wire (`attempts` 0) or by the server. */
export class AffkitValidationError extends AffkitError {
  static {
    AffkitValidationError.prototype.name = 'AffkitValidationError';
  }
}

/** 401: the tracking token is missing, regenerated or of another kind. */
export class AffkitAuthenticationError extends AffkitError {
  static {
    AffkitAuthenticationError.prototype.name = 'AffkitAuthenticationError';
  }
}

/** 403. */
export class AffkitPermissionError extends AffkitError {
  static {
    AffkitPermissionError.prototype.name = 'AffkitPermissionError';
  }
}

/** 404, 405 or 410: the sale is not known (`sale_not_found`), or `baseUrl` names no Affkit server. */
export class AffkitNotFoundError extends AffkitError {
  static {
    AffkitNotFoundError.prototype.name = 'AffkitNotFoundError';
  }
}

/** 409 that is no duplicate sale. */
export class AffkitConflictError extends AffkitError {
  static {
    AffkitConflictError.prototype.name = 'AffkitConflictError';
  }
}

/** 429, still after the retries. */
export class AffkitRateLimitError extends AffkitError {
  static {
    AffkitRateLimitError.prototype.name = 'AffkitRateLimitError';
  }
}

/** 5xx, 408 or 425, still after the retries, or a 2xx that says that it failed. */
export class AffkitServerError extends AffkitError {
  static {
    AffkitServerError.prototype.name = 'AffkitServerError';
  }
}

/** No reply arrived: the server may or may not have recorded the event. */
export class AffkitConnectionError extends AffkitError {
  static {
    AffkitConnectionError.prototype.name = 'AffkitConnectionError';
  }
}

/** `timeoutMs` (code `timeout`) or `deadlineMs` (code `deadline_exceeded`) ran out before a reply. */
export class AffkitTimeoutError extends AffkitError {
  static {
    AffkitTimeoutError.prototype.name = 'AffkitTimeoutError';
  }
}

/** The caller's `signal` was aborted; `cause` is its reason. The event may have been recorded. */
export class AffkitAbortError extends AffkitError {
  static {
    AffkitAbortError.prototype.name = 'AffkitAbortError';
  }
}

/** The spool has no room: the event is not kept, and none that is kept was given up for it. */
export class AffkitSpoolFullError extends AffkitError {
  static {
    AffkitSpoolFullError.prototype.name = 'AffkitSpoolFullError';
  }
}
