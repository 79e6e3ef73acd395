import type { ApiCall } from './api-call.ts';
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
import { isMeaningfulWithoutBody, isRedirect, type ReplyKind } from './reply.ts';

/** A failed call, with the details for its error. */
export interface FailedCall {
  readonly call: ApiCall<string>;
  readonly attempts: number;
  readonly isRetryable: boolean;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
}

const MAX_SERVER_MESSAGE_LENGTH = 300;
const CHECK_BASE_URL = 'There is no Affkit API at this URL: check the option baseUrl or AFFKIT_BASE_URL';

/** The error for a call that ended with `outcome`. */
export function errorFromOutcome(
  outcome: RequestOutcome,
  reply: ReplyKind | undefined,
  { call, attempts, isRetryable, limits, signal }: FailedCall,
): AffkitError {
  const { subject, unknownEffect } = call;
  const details = { attempts, retryable: isRetryable };
  const afterAttempts = `after ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  switch (outcome.kind) {
    case 'response':
      return (reply === 'unexpected' ? unexpectedReplyError : errorFromResponse)(outcome, call, details);
    case 'unreachable': {
      const reason = firstErrorCode(outcome.cause) ?? outcome.cause.message;
      const message = `${subject} got no response ${afterAttempts} (${reason}). ${unknownEffect}`;
      return new AffkitConnectionError(message, {
        ...details,
        code: 'connection_failed',
        cause: outcome.cause,
      });
    }
    case 'timeout':
    case 'deadline': {
      const limit = `${outcome.kind}Ms` as const;
      const message = `${subject} exceeded ${limit} (${limits[limit]}) ${afterAttempts}. ${unknownEffect}`;
      const code = outcome.kind === 'timeout' ? 'timeout' : 'deadline_exceeded';
      return new AffkitTimeoutError(message, { ...details, code });
    }
    case 'aborted': {
      const message = `${subject} was aborted by its signal ${afterAttempts}. ${unknownEffect}`;
      return new AffkitAbortError(message, { ...details, code: 'aborted', cause: signal?.reason });
    }
  }
}

/** The error for a response that is not a documented reply of Affkit. */
function unexpectedReplyError(
  response: ApiResponse,
  { subject, unknownEffect }: ApiCall<string>,
  details: Omit<AffkitErrorDetails, 'code'>,
): AffkitError {
  const { status, requestId, contentType, excerpt } = response;
  const type = contentType === undefined ? '' : `, content type ${contentType}`;
  const body = excerpt === undefined ? 'an unreadable body' : `the body ${JSON.stringify(excerpt)}`;
  const message = `${subject} got a reply that did not come from Affkit: status ${status}${type}, ${body}. Check baseUrl and the proxies in between. ${unknownEffect}`;
  return new AffkitUnexpectedReplyError(message, {
    ...details,
    code: 'unexpected_reply',
    status,
    requestId,
  });
}

function errorFromResponse(
  response: ApiResponse,
  { subject, advice, unknownEffect }: ApiCall<string>,
  base: Omit<AffkitErrorDetails, 'code'>,
): AffkitError {
  const { status, requestId } = response;
  const details = { ...base, status, requestId, code: response.code ?? `http_${status}` };
  if (isRedirect(status)) {
    const message = `baseUrl redirects${redirectTarget(response.location)}. Set baseUrl to the final URL: redirects are not followed, to protect the token`;
    return new AffkitConfigurationError(message, { ...details, code: 'redirected' });
  }
  const code = response.code === undefined ? '' : ` ${response.code}`;
  const reported = serverMessage(response);
  const summary = `${subject} failed (${status}${code})${reported === undefined ? '' : `: ${reported}`}`;
  const withAdvice = (text = advice[status]) =>
    text === undefined ? summary : `${summary.replace(/\.$/, '')}. ${text}`;
  switch (status) {
    case 401:
      return new AffkitAuthenticationError(withAdvice(), details);
    case 403:
      return new AffkitPermissionError(withAdvice(), details);
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
  }
  // Redirects and 429 are handled above: 5xx, 408 and 425 remain.
  if (isMeaningfulWithoutBody(status)) {
    return new AffkitServerError(withAdvice(unknownEffect), details);
  }
  return new AffkitValidationError(summary, details);
}

function serverMessage(response: ApiResponse): string | undefined {
  const text = stringField(response.body, 'error') ?? stringField(response.body, 'message');
  return text?.slice(0, MAX_SERVER_MESSAGE_LENGTH);
}

/** Returns only the origin, because the path of a redirect may contain secrets. */
function redirectTarget(location: string | null): string {
  return location !== null && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
}
