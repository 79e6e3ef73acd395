import { makeErrorReply } from '@affkit/core';
import type { ErrorCode } from '@affkit/protocol';
import type { Response } from 'express';

export function sendError(
  response: Response,
  code: ErrorCode,
  extraHeaders: Record<string, string> = {},
): void {
  const { status, headers, body } = makeErrorReply(code, String(response.getHeader('X-Request-Id')));
  response
    .status(status)
    .set({ ...headers, ...extraHeaders })
    .json(body);
}
