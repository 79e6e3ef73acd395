import type { HttpReply } from '../http/message.ts';

/**
 * Other code has already consumed the request body. Affkit needs its original bytes, because webhook
 * signatures are computed over them.
 */
export class BodyAlreadyRead extends Error {
  override readonly name = 'BodyAlreadyRead';

  constructor() {
    super(
      'The request body was read before Affkit could: mount Affkit before body parsers such as express.json()',
    );
  }
}

/**
 * Returns the body of a response as text, and its default content type. The headers of `reply` may override
 * the type.
 */
export function serialize(reply: HttpReply): { body: string | null; contentType: string | null } {
  if (reply.body === null || reply.body === undefined) return { body: null, contentType: null };
  return typeof reply.body === 'string'
    ? { body: reply.body, contentType: 'text/plain; charset=utf-8' }
    : { body: JSON.stringify(reply.body), contentType: 'application/json; charset=utf-8' };
}
