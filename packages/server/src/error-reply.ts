import { ERRORS, type ErrorBody, type ErrorCode } from '@affkit/protocol';
import type { Response } from 'express';

/** Answers an error of the server's own routes, in the shape of all the others. */
export function sendError(response: Response, code: ErrorCode, headers: Record<string, string> = {}): void {
  const { status, message } = ERRORS[code];
  const shouldRetry = status >= 500;
  const body: ErrorBody = { error: message, code, request_id: String(response.getHeader('X-Request-Id')) };
  response
    .status(status)
    .set({ 'x-should-retry': String(shouldRetry), ...(status === 503 && { 'retry-after': '1' }), ...headers })
    .json(body);
}
