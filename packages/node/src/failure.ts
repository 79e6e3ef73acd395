import { type Outcome, type Reply, readText } from './attempt.ts';
import {
  AffkitAbortError,
  AffkitAuthenticationError,
  AffkitConfigurationError,
  AffkitConflictError,
  AffkitConnectionError,
  type AffkitError,
  type AffkitErrorDetails,
  AffkitNotFoundError,
  AffkitPermissionError,
  AffkitRateLimitError,
  AffkitServerError,
  AffkitTimeoutError,
  AffkitValidationError,
} from './errors.ts';
import type { Limits } from './options.ts';
import { firstCode } from './redact.ts';
import type { Question } from './retry.ts';
import { isNoRoute } from './verdict.ts';

/** What an error tells of the call that it ended. */
export interface FailedCall {
  readonly operation: Question;
  readonly attempts: number;
  readonly isRetryable: boolean;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
}

const MAX_SERVER_TEXT = 300;
const WRONG_ADDRESS = "Check AFFKIT_BASE_URL, or baseUrl: Affkit's routes are not at this address";
const UNKNOWN_FATE = 'It may or may not be recorded: send it again, which is safe';

/** The error for a call that ended with `outcome`. */
export function errorOf(outcome: Outcome, call: FailedCall): AffkitError {
  const details = { attempts: call.attempts, retryable: call.isRetryable };
  const sent = `after ${call.attempts} ${call.attempts === 1 ? 'attempt' : 'attempts'}`;
  switch (outcome.kind) {
    case 'reply':
      return errorOfReply(outcome, call.operation, { ...details, code: '' });
    case 'unreachable': {
      const why = firstCode(outcome.cause) ?? outcome.cause.message;
      const message = `No reply to the ${call.operation} ${sent} (${why}). ${UNKNOWN_FATE}`;
      return new AffkitConnectionError(message, {
        ...details,
        code: 'connection_failed',
        cause: outcome.cause,
      });
    }
    case 'timeout': {
      const message = `No whole reply to the ${call.operation} within timeoutMs ${call.limits.timeoutMs}, ${sent}. ${UNKNOWN_FATE}`;
      return new AffkitTimeoutError(message, { ...details, code: 'timeout' });
    }
    case 'deadline': {
      const message = `The ${call.operation} passed deadlineMs ${call.limits.deadlineMs}, ${sent}. ${UNKNOWN_FATE}`;
      return new AffkitTimeoutError(message, { ...details, code: 'deadline_exceeded' });
    }
    case 'aborted': {
      const message = `The ${call.operation} was aborted by its signal, ${sent}. ${UNKNOWN_FATE}`;
      return new AffkitAbortError(message, { ...details, code: 'aborted', cause: call.signal?.reason });
    }
  }
}

/** A 2xx that says in its body that it failed. */
export function contradictionOf(reply: Reply, operation: Question, attempts: number): AffkitError {
  const said = serverText(reply) ?? 'success: false';
  return new AffkitServerError(`The server answered the ${operation} with ${reply.status} but: ${said}`, {
    code: reply.code ?? 'unexpected_reply',
    status: reply.status,
    requestId: reply.requestId,
    attempts,
  });
}

/** A 2xx without what was asked for. */
export function unreadable({ status, requestId }: Reply): AffkitError {
  const message = `The server answered ${status}, but its reply could not be read: ask again later`;
  return new AffkitServerError(message, { code: 'unexpected_reply', status, requestId, retryable: true });
}

function errorOfReply(reply: Reply, operation: Question, base: AffkitErrorDetails): AffkitError {
  const { status, requestId } = reply;
  const details = { ...base, status, requestId, code: reply.code ?? `http_${status}` };
  if (status === 0 || (status >= 300 && status < 400)) {
    const message = `baseUrl redirects${originOf(reply.location)}: set it to the final address (the token follows no redirect)`;
    return new AffkitConfigurationError(message, { ...details, code: 'redirected' });
  }
  const said = serverText(reply);
  const message = (advice: string) =>
    `The ${operation} failed (${status}${reply.code === undefined ? '' : ` ${reply.code}`})${said === undefined ? '' : `: ${said}`}${advice === '' ? '' : `. ${advice}`}`;
  switch (status) {
    case 401:
      return new AffkitAuthenticationError(
        message("Check AFFKIT_TOKEN: it must be the program's present one"),
        details,
      );
    case 403:
      return new AffkitPermissionError(
        message(reply.code === undefined ? 'Does a proxy or a firewall before the server refuse it?' : ''),
        details,
      );
    case 404:
    case 405:
    case 410:
      return new AffkitNotFoundError(message(isNoRoute(details.code) ? WRONG_ADDRESS : ''), details);
    case 409:
      return new AffkitConflictError(message(''), details);
    case 429:
      return new AffkitRateLimitError(message('Send it again later, which is safe'), details);
    case 408:
    case 425:
      return new AffkitServerError(message(UNKNOWN_FATE), details);
  }
  if (status >= 500) return new AffkitServerError(message(UNKNOWN_FATE), details);
  return new AffkitValidationError(message(''), details);
}

function serverText(reply: Reply): string | undefined {
  return (readText(reply.body, 'error') ?? readText(reply.body, 'message'))?.slice(0, MAX_SERVER_TEXT);
}

function originOf(location: string | null): string {
  return location !== null && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
}
