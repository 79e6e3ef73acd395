import { requireHeader, type SignatureHeader, TIMESTAMP, verificationError } from './signature-header.ts';

/** The headers of the Standard Webhooks specification. Affkit signs its own webhooks according to it. */
export interface StandardWebhookHeaders {
  readonly 'webhook-id'?: string | readonly string[] | null | undefined;
  readonly 'webhook-timestamp'?: string | readonly string[] | null | undefined;
  readonly 'webhook-signature'?: string | readonly string[] | null | undefined;
}

/** The names of these headers, in lower case. */
export const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** A secret that consists only of this prefix has an empty key, so everybody could sign with it. */
export const STANDARD_SECRET_PREFIX = 'whsec_';

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
/** Matches `whsec_`, followed by base64 that `atob` can decode. */
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/;

/**
 * Parses the headers of a Standard Webhook. Signatures other than `v1` are ignored.
 *
 * @returns the signatures, the timestamp, and the start of the signed message
 * @throws AffkitWebhookVerificationError if a header is missing or malformed
 */
export function parseStandardHeaders(headers: StandardWebhookHeaders): SignatureHeader & {
  readonly start: string;
} {
  const [id, timestamp = '', list = ''] = STANDARD_HEADERS.map((name) =>
    requireHeader(headers[name], `header ${name}`),
  );
  if (!TIMESTAMP.test(timestamp)) {
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

/** Returns the key of a secret of the form `whsec_<base64>`. Returns null for a secret of another form. */
export function standardKeyOf(secret: string): Uint8Array<ArrayBuffer> | null {
  const [, text] = SECRET.exec(secret) ?? [];
  return text === undefined ? null : fromBase64(text);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
