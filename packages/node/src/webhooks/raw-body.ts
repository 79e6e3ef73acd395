import { AffkitWebhookVerificationError } from './verification-error.ts';

/** A request body exactly as it was received. A string is encoded as UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer;

const encoder = new TextEncoder();

/** Whether the value is an unparsed body. Also true for bytes from another realm, as in some test runners. */
export function isRawBody(value: unknown): value is RawBody {
  return typeof value === 'string' || ArrayBuffer.isView(value) || isArrayBuffer(value);
}

/**
 * The bytes of a raw body.
 *
 * @throws AffkitWebhookVerificationError if the body is missing, empty or already parsed
 */
export function toBytes(rawBody: unknown): Uint8Array {
  if (rawBody === undefined || rawBody === null) throw bodyMissing();
  const bytes = readBytes(rawBody);
  if (bytes === undefined) {
    throw new AffkitWebhookVerificationError(
      'body_already_parsed',
      'The body must be the raw bytes or text of the request, not the parsed object',
    );
  }
  if (bytes.byteLength === 0) throw bodyMissing();
  return bytes;
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.byteLength;
  }
  return joined;
}

/** The bytes of a raw body, or undefined if the value is not a raw body. */
export function readBytes(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return encoder.encode(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined;
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

function bodyMissing(): AffkitWebhookVerificationError {
  return new AffkitWebhookVerificationError('body_missing', 'The request has no body');
}
