import { AffkitWebhookVerificationError } from './verification-error.ts';

/** A parsed signature header `t=…,v1=…`. */
export interface SignatureHeader {
  /** Seconds since the epoch, as text: the signature covers these exact digits. */
  readonly timestamp: string;
  /** All well-formed `v1` signatures, at least one, 32 bytes each. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
}

const MAX_HEADER_LENGTH = 4096;
export const TIMESTAMP = /^[1-9]\d{0,11}$/;
const SIGNATURE = /^[0-9a-f]{64}$/;

/**
 * Parses a signature header. It must have exactly one `t` with decimal digits. Schemes other than `v1`, and
 * `v1` entries that are not 64 lower-case hex digits, are ignored, because they cannot match.
 *
 * @throws AffkitWebhookVerificationError if the header is missing, malformed, too long or has no usable
 * signature
 */
export function parseSignatureHeader(value: unknown): SignatureHeader {
  const header = requireHeader(value, 'signature header');
  const timestamps: string[] = [];
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (const part of header.split(',')) {
    const at = part.indexOf('=');
    if (at < 1) throw verificationError('header_malformed', 'The signature header must look like t=…,v1=…');
    const [name, text] = [part.slice(0, at), part.slice(at + 1)];
    if (name === 't') timestamps.push(text);
    if (name === 'v1' && SIGNATURE.test(text)) signatures.push(fromHex(text));
  }
  const [timestamp, ...others] = timestamps;
  if (timestamp === undefined || others.length > 0 || !TIMESTAMP.test(timestamp)) {
    throw verificationError(
      'header_malformed',
      `The signature header must have exactly one timestamp t in seconds, got ${timestamps.length === 1 ? 'a malformed timestamp' : timestamps.length}`,
    );
  }
  if (signatures.length === 0) {
    throw verificationError(
      'signature_missing',
      'The signature header has no v1 signature in lower-case hex',
    );
  }
  return { timestamp, signatures };
}

/**
 * Returns the only value of a header.
 * @param name how the error messages name the header
 * @throws AffkitWebhookVerificationError if the value is missing, not a single string, or too long
 */
export function requireHeader(value: unknown, name: string): string {
  const header = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (header === undefined || header === null || header === '') {
    throw verificationError('header_missing', `The request has no ${name}`);
  }
  if (typeof header !== 'string') {
    const got = Array.isArray(header) ? `${header.length} values` : `a value of type ${typeof header}`;
    throw verificationError('header_malformed', `The ${name} must be a single string, got ${got}`);
  }
  if (header.length > MAX_HEADER_LENGTH) {
    throw verificationError('header_too_long', `The ${name} is longer than ${MAX_HEADER_LENGTH} characters`);
  }
  return header;
}

/** Encodes bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
}

export function verificationError(
  reason: AffkitWebhookVerificationError['reason'],
  message: string,
): AffkitWebhookVerificationError {
  return new AffkitWebhookVerificationError(reason, message);
}
