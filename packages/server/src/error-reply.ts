import { ERRORS, type ErrorBody, type ErrorCode } from '@affkit/protocol';
import type { Response } from 'express';

/** An error of the server's own, in the shape of all the others. */
export function errorParts(
  code: ErrorCode,
  requestId: string,
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: ErrorBody } {
  const { status, message } = ERRORS[code];
  const shouldRetry = status >= 500 || status === 408;
  return {
    status,
    headers: { 'x-should-retry': String(shouldRetry), ...(status === 503 && { 'retry-after': '1' }) },
    body: { error: message, code, request_id: requestId },
  };
}

/** Answers an error of the server's own routes. */
export function sendError(response: Response, code: ErrorCode, further: Record<string, string> = {}): void {
  const { status, headers, body } = errorParts(code, String(response.getHeader('X-Request-Id')));
  response
    .status(status)
    .set({ ...headers, ...further })
    .json(body);
}
