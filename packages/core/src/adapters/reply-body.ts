import { ERRORS } from '@affkit/protocol';
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

/** The answer for a path that no route has, where nobody else could answer. */
export function routeNotFoundReply(requestId: string | undefined): HttpReply {
  const id = requestId ?? `req_${crypto.randomUUID()}`;
  const { message } = ERRORS.route_not_found;
  const reply = errorReply(
    { code: 'route_not_found', message, details: {}, retryAfterSeconds: undefined },
    id,
  );
  return { ...reply, headers: { ...reply.headers, 'x-request-id': id } };
}
