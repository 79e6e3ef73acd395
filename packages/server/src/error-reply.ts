import { makeErrorReply } from '@affkit/core';
import type { ErrorCode } from '@affkit/protocol';
import type { Response } from 'express';

/** Answers an error of the server's own routes. */
export function sendError(response: Response, code: ErrorCode, further: Record<string, string> = {}): void {
  const { status, headers, body } = makeErrorReply(code, String(response.getHeader('X-Request-Id')));
  response
    .status(status)
    .set({ ...headers, ...further })
    .json(body);
}
