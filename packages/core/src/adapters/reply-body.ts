import type { HttpReply } from '../http/message.ts';

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
