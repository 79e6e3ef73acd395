import { ERRORS, type ErrorCode } from '@affkit/protocol';
import { Rejection } from '../rejection.ts';
import type { HttpReply } from './message.ts';

const RETRY_AFTER_SECONDS = 1;
const RETRYABLE = new Set([408, 425, 429, 500, 503]);
/** Their bodies say text and status once more, under the names that the contract has for them. */
const SAID_TWICE: ReadonlySet<ErrorCode> = new Set(['duplicate_transaction', 'transaction_id_taken']);

/** The one place where a rejection becomes a reply. */
export function errorReply(
  rejection: Rejection,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  const { code, message, details } = rejection;
  const { status } = ERRORS[code];
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
      ...(SAID_TWICE.has(code) && { message, statusCode: status }),
      ...details,
    },
  };
}

/** An error that no route has answered, in its fixed text and in the shape of all others. */
export function makeErrorReply(code: ErrorCode, requestId: string): HttpReply {
  return errorReply(new Rejection(code), requestId, { 'x-request-id': requestId });
}

function retryHeaders(status: number, retryAfterSeconds: number | undefined): Record<string, string> {
  const seconds = retryAfterSeconds ?? (status === 429 || status === 503 ? RETRY_AFTER_SECONDS : undefined);
  return {
    'x-should-retry': String(RETRYABLE.has(status)),
    ...(seconds !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(seconds))) }),
  };
}
