import { AffkitWebhookVerificationError } from './verification-error.ts';

/** A body exactly as it was received. A string is taken as UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer;

const encoder = new TextEncoder();

/** Is it a body that nobody parsed? Also where the bytes come from another realm, as in some test runners. */
export function isRawBody(value: unknown): value is RawBody {
  return typeof value === 'string' || ArrayBuffer.isView(value) || isArrayBuffer(value);
}

/** The bytes of a raw body. Throws where there are none, or where it was parsed. */
export function toBytes(rawBody: unknown): Uint8Array {
  if (rawBody === undefined || rawBody === null) throw missing();
  const bytes = readBytes(rawBody);
  if (bytes === undefined) {
    throw new AffkitWebhookVerificationError(
      'body_already_parsed',
      'The body must be the bytes, or the text, that arrived, not an object parsed from them',
    );
  }
  if (bytes.byteLength === 0) throw missing();
  return bytes;
}

/** One array of all the parts. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function readBytes(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return encoder.encode(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined;
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

function missing(): AffkitWebhookVerificationError {
  return new AffkitWebhookVerificationError('body_missing', 'The request has no body');
}
