import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a signature's time may lie from now, before or after, in seconds. */
const TOLERANCE_SECONDS = 300;

/** What `Stripe-Signature` says of a body, before that is looked at. */
export interface SignatureClaim {
  /** As it was signed. */
  readonly time: string;
  /** 32 bytes each. */
  readonly signatures: readonly Buffer[];
}

/**
 * Reads `Stripe-Signature` (`t=…,v1=…[,v1=…]`). Null where it is a signature of no body, whatever the secret: one that is
 * missing, that names no time, or two, that was not made within 300 s of now, or has no `v1`.
 */
export function readSignature(header: string | undefined, now: number): SignatureClaim | null {
  const claim = readHeader(header ?? '');
  if (!claim || claim.signatures.length === 0) return null;
  const isInTime = Math.abs(Math.floor(now / 1000) - Number(claim.time)) <= TOLERANCE_SECONDS;
  return isInTime ? claim : null;
}

/**
 * Is it a signature of these bytes by one of the secrets? Each `v1` may be of each secret: the processor signs with both
 * of its own while one is being replaced.
 */
export function isSigned(claim: SignatureClaim, bytes: Uint8Array, secrets: readonly string[]): boolean {
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${claim.time}.`).update(bytes).digest(),
  );
  return expected.some((digest) => claim.signatures.some((signature) => timingSafeEqual(digest, signature)));
}

/** Null where there is not exactly one time. A `v1` that is no SHA-256 in lower-case hex is no signature of anything. */
function readHeader(header: string): SignatureClaim | null {
  const parts = header.split(',').map((part) => {
    const mark = part.indexOf('=');
    return mark === -1 ? ['', part] : [part.slice(0, mark), part.slice(mark + 1)];
  });
  const valuesOf = (name: string) => parts.filter((part) => part[0] === name).map((part) => part[1] ?? '');
  const [time, ...further] = valuesOf('t');
  // Only the form that a number has when it is written: what is signed is the text.
  if (time === undefined || further.length > 0 || !/^(?:0|[1-9]\d{0,14})$/.test(time)) return null;
  const signatures = valuesOf('v1').filter((text) => /^[0-9a-f]{64}$/.test(text));
  return { time, signatures: signatures.map((text) => Buffer.from(text, 'hex')) };
}
