import type { HttpReply } from '../http/message.ts';

/**
 * Thrown when other code has already consumed the request body. Affkit needs the original bytes, because
 * webhook signatures cover the bytes of the body.
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
 * Serializes the body of a reply to text, bytes, or a stream of bytes, and returns its default content type.
 * The headers of `reply` may override the content type.
 */
export function serialize(reply: HttpReply): {
  body: string | Uint8Array<ArrayBuffer> | ByteStream | null;
  contentType: string | null;
} {
  const { body } = reply;
  if (body === null || body === undefined) return { body: null, contentType: null };
  if (typeof body === 'string') return { body, contentType: 'text/plain; charset=utf-8' };
  if (isBytes(body) || isStream(body)) return { body, contentType: 'application/octet-stream' };
  return { body: JSON.stringify(body), contentType: 'application/json; charset=utf-8' };
}

type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Whether the body is a stream. The chunks are not checked, because all streams of Affkit contain bytes. */
export function isStream(body: unknown): body is ByteStream {
  return body instanceof ReadableStream;
}

/** Whether the body is bytes. Their buffer is always an `ArrayBuffer`, because Affkit never uses shared memory. */
function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}
