import { type ApiResponse, type RequestOutcome, stringField } from './attempt.ts';
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
  AffkitUnexpectedReplyError,
  AffkitValidationError,
} from './errors.ts';
import { isRouteNotFound } from './failure-action.ts';
import type { Limits } from './options.ts';
import { firstErrorCode } from './redact.ts';
import { classifyReply } from './reply.ts';
import type { TrackEndpoint } from './retry.ts';

/** A call that failed, with the facts that its error reports. */
export interface FailedCall {
  readonly operation: TrackEndpoint;
  readonly attempts: number;
  readonly isRetryable: boolean;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
}

const MAX_SERVER_MESSAGE_LENGTH = 300;
const CHECK_BASE_URL =
  'There is no Affkit API at this URL: check the option baseUrl or the environment variable AFFKIT_BASE_URL';
const CHECK_TOKEN = "Set the option token or AFFKIT_TOKEN to the program's current tracking token";
const MAY_BE_RECORDED = 'The server may or may not have recorded it. You can safely send it again';

/** The error for a call that ended with `outcome`. */
export function errorFromOutcome(outcome: RequestOutcome, call: FailedCall): AffkitError {
  const details = { attempts: call.attempts, retryable: call.isRetryable };
  const afterAttempts = `after ${call.attempts} ${call.attempts === 1 ? 'attempt' : 'attempts'}`;
  switch (outcome.kind) {
    case 'response':
      return classifyReply(call.operation, outcome.status, outcome.body) === 'unexpected'
        ? unexpectedReplyError(outcome, call)
        : errorFromResponse(outcome, call.operation, { ...details, code: '' });
    case 'unreachable': {
      const reason = firstErrorCode(outcome.cause) ?? outcome.cause.message;
      const message = `The ${call.operation} got no response ${afterAttempts} (${reason}). ${MAY_BE_RECORDED}`;
      return new AffkitConnectionError(message, {
        ...details,
        code: 'connection_failed',
        cause: outcome.cause,
      });
    }
    case 'timeout':
    case 'deadline': {
      const limit = `${outcome.kind}Ms` as const;
      const message = `The ${call.operation} exceeded ${limit} (${call.limits[limit]}) ${afterAttempts}. ${MAY_BE_RECORDED}`;
      const code = outcome.kind === 'timeout' ? 'timeout' : 'deadline_exceeded';
      return new AffkitTimeoutError(message, { ...details, code });
    }
    case 'aborted': {
      const message = `The ${call.operation} was aborted by its signal ${afterAttempts}. ${MAY_BE_RECORDED}`;
      return new AffkitAbortError(message, { ...details, code: 'aborted', cause: call.signal?.reason });
    }
  }
}

/** The error for a response that is not a documented reply of Affkit. */
function unexpectedReplyError(response: ApiResponse, { operation, attempts }: FailedCall): AffkitError {
  const { status, requestId, contentType, excerpt } = response;
  const type = contentType === undefined ? '' : `, content type ${contentType}`;
  const body = excerpt === undefined ? 'an unreadable body' : `the body ${JSON.stringify(excerpt)}`;
  const message = `The reply to the ${operation} did not come from Affkit: status ${status}${type}, ${body}. Check baseUrl and the proxies in between. ${MAY_BE_RECORDED}`;
  return new AffkitUnexpectedReplyError(message, {
    code: 'unexpected_reply',
    status,
    requestId,
    attempts,
    retryable: true,
  });
}

function errorFromResponse(
  response: ApiResponse,
  operation: TrackEndpoint,
  base: AffkitErrorDetails,
): AffkitError {
  const { status, requestId } = response;
  const details = { ...base, status, requestId, code: response.code ?? `http_${status}` };
  if (status === 0 || (status >= 300 && status < 400)) {
    const message = `baseUrl redirects${redirectTarget(response.location)}. Set baseUrl to the final URL: redirects are not followed, because they would send the token elsewhere`;
    return new AffkitConfigurationError(message, { ...details, code: 'redirected' });
  }
  const code = response.code === undefined ? '' : ` ${response.code}`;
  const reported = serverMessage(response);
  const summary = `The ${operation} failed (${status}${code})${reported === undefined ? '' : `: ${reported}`}`;
  const withAdvice = (advice: string) => `${summary}. ${advice}`;
  switch (status) {
    case 401:
      return new AffkitAuthenticationError(withAdvice(CHECK_TOKEN), details);
    case 403:
      return new AffkitPermissionError(summary, details);
    case 404:
    case 405:
    case 410:
      return new AffkitNotFoundError(
        isRouteNotFound(details.code) ? withAdvice(CHECK_BASE_URL) : summary,
        details,
      );
    case 409:
      return new AffkitConflictError(summary, details);
    case 429:
      return new AffkitRateLimitError(withAdvice('You can safely send it again later'), details);
    case 408:
    case 425:
      return new AffkitServerError(withAdvice(MAY_BE_RECORDED), details);
  }
  if (status >= 500) return new AffkitServerError(withAdvice(MAY_BE_RECORDED), details);
  return new AffkitValidationError(summary, details);
}

function serverMessage(response: ApiResponse): string | undefined {
  const text = stringField(response.body, 'error') ?? stringField(response.body, 'message');
  return text?.slice(0, MAX_SERVER_MESSAGE_LENGTH);
}

/** Only the origin: the path of a redirect may contain secrets. */
function redirectTarget(location: string | null): string {
  return location !== null && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
}
