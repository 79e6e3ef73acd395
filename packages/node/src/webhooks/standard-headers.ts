import { type SignatureHeader, verificationError } from './signature-header.ts';

/** The headers of the specification Standard Webhooks, by which Affkit signs its own webhooks. */
export interface StandardWebhookHeaders {
  readonly 'webhook-id'?: string | readonly string[] | null | undefined;
  readonly 'webhook-timestamp'?: string | readonly string[] | null | undefined;
  readonly 'webhook-signature'?: string | readonly string[] | null | undefined;
}

/** The headers in Standard Webhooks, in lower case. */
export const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

const MAX_HEADER_LENGTH = 4096;
const TIMESTAMP = /^[1-9]\d{0,11}$/;
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
const SECRET_PREFIX = 'whsec_';

/**
 * Parses the headers of a Standard Webhook. Signatures other than `v1` are ignored.
 *
 * @returns the signatures, the timestamp, and the start of the signed message
 * @throws AffkitWebhookVerificationError if a header is missing or malformed
 */
export function parseStandardHeaders(headers: StandardWebhookHeaders): SignatureHeader & {
  readonly start: string;
} {
  const [id, timestamp, list] = STANDARD_HEADERS.map((name) => readSingle(name, headers[name]));
  if (id === undefined || timestamp === undefined || list === undefined || !TIMESTAMP.test(timestamp)) {
    throw verificationError('header_malformed', 'webhook-timestamp must be a time in seconds');
  }
  const signatures = list.split(' ').flatMap((part) => {
    const [version, text = ''] = part.split(',', 2);
    return version === 'v1' && BASE64_OF_32_BYTES.test(text) ? [fromBase64(text)] : [];
  });
  if (signatures.length === 0) {
    throw verificationError('signature_missing', 'webhook-signature has no v1 signature in base64');
  }
  return { timestamp, signatures, start: `${id}.${timestamp}.` };
}

/** Returns the key of a secret: `whsec_` and base64. Returns null for a secret of another format. */
export function standardKeyOf(secret: string): Uint8Array<ArrayBuffer> | null {
  if (!secret.startsWith(SECRET_PREFIX)) return null;
  try {
    return fromBase64(secret.slice(SECRET_PREFIX.length));
  } catch {
    return null;
  }
}

function readSingle(name: string, value: unknown): string {
  const header = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (header === undefined || header === null || header === '') {
    throw verificationError('header_missing', `The request has no header ${name}`);
  }
  if (typeof header !== 'string') {
    throw verificationError('header_malformed', `The header ${name} must be a single string`);
  }
  if (header.length > MAX_HEADER_LENGTH) {
    throw verificationError(
      'header_too_long',
      `The header ${name} is longer than ${MAX_HEADER_LENGTH} characters`,
    );
  }
  return header;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
