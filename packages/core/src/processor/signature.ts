import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far a signature's time may lie from now, before or after, in seconds. */
const TOLERANCE_SECONDS = 300;

/**
 * Is `Stripe-Signature` (`t=…,v1=…[,v1=…]`) a signature of these bytes by one of the secrets, made within 300 s of
 * now? Each `v1` may be of each secret: the processor signs with both of its own while one is being replaced. A header
 * that names no time, or two, is refused.
 */
export function verifySignature(
  header: string | undefined,
  bytes: Uint8Array,
  secrets: readonly string[],
  now: number,
): boolean {
  const claim = readHeader(header ?? '');
  if (!claim) return false;
  if (Math.abs(Math.floor(now / 1000) - Number(claim.time)) > TOLERANCE_SECONDS) return false;
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${claim.time}.`).update(bytes).digest(),
  );
  return expected.some((digest) => claim.signatures.some((signature) => timingSafeEqual(digest, signature)));
}

interface Claim {
  /** As it was signed. */
  readonly time: string;
  /** 32 bytes each. */
  readonly signatures: readonly Buffer[];
}

/** Null where there is not exactly one time. A `v1` that is no SHA-256 in lower-case hex is no signature of anything. */
function readHeader(header: string): Claim | null {
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
