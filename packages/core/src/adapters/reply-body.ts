import { ERRORS, type ErrorCode } from '@affkit/protocol';
import type { HttpReply } from '../http/message.ts';
import { errorReply } from '../http/reply.ts';

/** Thrown where the bytes of a request are gone: webhook signatures are over bytes, so they can't be made anew. */
export class BodyAlreadyRead extends Error {
  override readonly name = 'BodyAlreadyRead';

  constructor() {
    super(
      'The request body was read before Affkit could: mount Affkit before body parsers such as express.json()',
    );
  }
}

/** The bytes of a reply, and the type that they have unless its headers name another. */
export function serialize(reply: HttpReply): { body: string | null; contentType: string | null } {
  if (reply.body === null || reply.body === undefined) return { body: null, contentType: null };
  return typeof reply.body === 'string'
    ? { body: reply.body, contentType: 'text/plain; charset=utf-8' }
    : { body: JSON.stringify(reply.body), contentType: 'application/json; charset=utf-8' };
}

/** The answer of an adapter itself: no route has the path, or what the app says of the request can't be had. */
export function adapterError(code: ErrorCode, requestId: string): HttpReply {
  const { message } = ERRORS[code];
  const reply = errorReply({ code, message, details: {}, retryAfterSeconds: undefined }, requestId);
  return { ...reply, headers: { ...reply.headers, 'x-request-id': requestId } };
}
