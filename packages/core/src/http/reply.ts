import { ERRORS, type ErrorCode } from '@affkit/protocol';
import { Rejection } from '../rejection.ts';
import type { HttpReply } from './message.ts';

const RETRY_AFTER_SECONDS = 1;
const RETRYABLE_STATUS_CODES = new Set([408, 425, 429, 500, 503]);
/**
 * The bodies of these errors have the additional fields `message` and `statusCode`, as the API contract
 * requires.
 */
const WITH_MESSAGE_AND_STATUS: ReadonlySet<ErrorCode> = new Set([
  'duplicate_transaction',
  'transaction_id_taken',
]);

/** Converts a rejection to a reply. All error replies are created here. */
export function errorReply(
  rejection: Rejection,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): HttpReply {
  const { code, message, details } = rejection;
  const spec = ERRORS[code];
  const { status } = spec;
  return {
    status,
    headers: {
      ...headers,
      ...retryHeaders(status, rejection.retryAfterSeconds),
    },
    body: {
      error: message,
      code,
      request_id: requestId,
      ...(WITH_MESSAGE_AND_STATUS.has(code) && { message, statusCode: status }),
      ...('hint' in spec && { hint: spec.hint }),
      ...details,
    },
  };
}

/**
 * Creates the reply to an error that occurs outside of all routes. The reply has the default message of
 * `code`, and the same fields as every error reply.
 */
export function makeErrorReply(code: ErrorCode, requestId: string): HttpReply {
  return errorReply(new Rejection(code), requestId, { 'x-request-id': requestId });
}

function retryHeaders(status: number, retryAfterSeconds: number | undefined): Record<string, string> {
  const seconds = retryAfterSeconds ?? (status === 429 || status === 503 ? RETRY_AFTER_SECONDS : undefined);
  return {
    'x-should-retry': String(RETRYABLE_STATUS_CODES.has(status)),
    ...(seconds !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(seconds))) }),
  };
}
