import { createHmac, timingSafeEqual } from 'node:crypto';

/** The maximum difference between the time of a signature and the current time, in either direction. */
const TOLERANCE_SECONDS = 300;

/** The parsed `Stripe-Signature` header. The signatures have not been verified yet. */
export interface SignatureHeader {
  /** The time in epoch seconds, in the exact text form that was signed. */
  readonly time: string;
  /** HMAC-SHA-256 digests of 32 bytes. */
  readonly signatures: readonly Buffer[];
}

/**
 * Parses `Stripe-Signature` (`t=…,v1=…[,v1=…]`).
 * @param now epoch milliseconds
 * @returns null when the header is missing, does not have exactly one `t` within 300 seconds of `now`, or has
 * no well-formed `v1`
 */
export function readSignature(header: string | undefined, now: number): SignatureHeader | null {
  const parsed = parseHeader(header ?? '');
  if (!parsed || parsed.signatures.length === 0) return null;
  const isRecent = Math.abs(Math.floor(now / 1000) - Number(parsed.time)) <= TOLERANCE_SECONDS;
  return isRecent ? parsed : null;
}

/**
 * Whether these bytes were signed with one of the secrets. Every `v1` is compared with every secret, because the
 * processor signs with both the old and the new secret during a rotation.
 */
export function isSigned(header: SignatureHeader, bytes: Uint8Array, secrets: readonly string[]): boolean {
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${header.time}.`).update(bytes).digest(),
  );
  return expected.some((digest) => header.signatures.some((signature) => timingSafeEqual(digest, signature)));
}

/**
 * @returns null if the header does not have exactly one time. A `v1` that is not 64 lower-case hex digits is
 * skipped
 */
function parseHeader(header: string): SignatureHeader | null {
  const parts = header.split(',').map((part) => {
    const equals = part.indexOf('=');
    return equals === -1 ? ['', part] : [part.slice(0, equals), part.slice(equals + 1)];
  });
  const valuesOf = (name: string) => parts.filter((part) => part[0] === name).map((part) => part[1] ?? '');
  const [time, ...further] = valuesOf('t');
  // Accept only the form that Stripe writes and signs: digits without leading zeros. `Number` would also read other
  // forms, such as `1e9`.
  if (time === undefined || further.length > 0 || !/^(?:0|[1-9]\d{0,14})$/.test(time)) return null;
  const signatures = valuesOf('v1').filter((text) => /^[0-9a-f]{64}$/.test(text));
  return { time, signatures: signatures.map((text) => Buffer.from(text, 'hex')) };
}
