import { configurationError } from '../errors.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import { computeHmac, isEqualDigest, isSignedAsync } from './hmac.ts';
import { joinBytes, type RawBody, toBytes } from './raw-body.ts';
import { type FetchRequestLike, type NodeRequestLike, readRawRequest } from './raw-request.ts';
import { parseSignatureHeader, type SignatureHeader, toHex } from './signature-header.ts';
import { AffkitWebhookVerificationError } from './verification-error.ts';

/** A verified body: a JSON object. Its fields are whatever the sender signed. */
export interface WebhookEvent {
  readonly [name: string]: unknown;
}

/** How a webhook is judged. */
export interface VerifyOptions {
  /** The endpoint's secret; several while one is being replaced. @default the one that the client was made with */
  readonly secret?: string | readonly string[] | undefined;
  /** How far the signature's time may be from now, either way; 0 means the same second. @default 300 */
  readonly toleranceSeconds?: number | undefined;
}

export interface FromRequestOptions extends VerifyOptions {
  /** @default 'stripe-signature' */
  readonly header?: string | undefined;
}

export interface SignOptions {
  readonly secret?: string | undefined;
  /** Seconds since the epoch. @default now */
  readonly timestamp?: number | undefined;
}

type HeaderValue = string | readonly string[] | null | undefined;

interface Claim extends SignatureHeader {
  readonly secrets: readonly string[];
  readonly toleranceSeconds: number;
  /** The signed part before the body. */
  readonly prefix: Uint8Array;
  readonly body: Uint8Array;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/**
 * Verifies webhooks that are signed as `t=<seconds>,v1=<hex of HMAC-SHA256 over "t.body">`, which is Stripe's way.
 * A webhook is accepted if one of its signatures fits one of the secrets and its time is near enough; anything
 * else throws an `AffkitWebhookVerificationError` with a `reason`. That a webhook is given once is not checked.
 */
export class Webhooks {
  readonly #secret: string | readonly string[] | undefined;
  readonly #runtime: Runtime;

  constructor(options: { secret?: string | readonly string[] | undefined; runtime?: Runtime } = {}) {
    this.#secret = options.secret;
    this.#runtime = options.runtime ?? systemRuntime;
  }

  /** Verifies a raw body and gives the event in it. The type is the caller's claim about what was signed. */
  verify<Event extends object = WebhookEvent>(
    rawBody: RawBody,
    header: HeaderValue,
    options: VerifyOptions = {},
  ): Event {
    const claim = this.#readClaim(rawBody, header, options);
    const isSigned = claim.secrets.some((secret) => {
      const expected = computeHmac(secret, claim.prefix, claim.body);
      return claim.signatures.some((signature) => isEqualDigest(signature, expected));
    });
    return this.#accept(claim, isSigned);
  }

  /** The same with WebCrypto, for runtimes without `node:crypto`. */
  async verifyAsync<Event extends object = WebhookEvent>(
    rawBody: RawBody,
    header: HeaderValue,
    options: VerifyOptions = {},
  ): Promise<Event> {
    const claim = this.#readClaim(rawBody, header, options);
    const { prefix, body } = claim;
    const message = joinBytes([prefix, body]);
    return this.#accept(claim, await isSignedAsync(claim.secrets, message, claim.signatures));
  }

  /**
   * The same for a whole request: of `fetch`, of `node:http`, or of Express with `express.raw()` or no parser. It
   * reads the body where nobody has, and says so where a parser was first.
   */
  async fromRequest<Event extends object = WebhookEvent>(
    request: FetchRequestLike | NodeRequestLike,
    options: FromRequestOptions = {},
  ): Promise<Event> {
    const { header, body } = await readRawRequest(request, options.header ?? 'stripe-signature');
    return this.verifyAsync<Event>(body, header, options);
  }

  /** The header for a body, for tests of the receiving side. */
  sign(rawBody: RawBody, options: SignOptions = {}): string {
    const [secret] = this.#readSecrets(options.secret);
    const timestamp = String(options.timestamp ?? this.#nowSeconds());
    const signature = computeHmac(secret, encoder.encode(`${timestamp}.`), toBytes(rawBody));
    return `t=${timestamp},v1=${toHex(signature)}`;
  }

  #readClaim(rawBody: RawBody, header: HeaderValue, options: VerifyOptions): Claim {
    const secrets = this.#readSecrets(options.secret);
    const toleranceSeconds = options.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
    if (!(toleranceSeconds >= 0)) throw configurationError('toleranceSeconds must be a number from 0 up');
    const body = toBytes(rawBody);
    const parsed = parseSignatureHeader(header);
    const prefix = encoder.encode(`${parsed.timestamp}.`);
    return { ...parsed, secrets, toleranceSeconds, prefix, body };
  }

  #accept<Event extends object>(claim: Claim, isSigned: boolean): Event {
    if (!isSigned) {
      throw new AffkitWebhookVerificationError(
        'signature_mismatch',
        "No signature fits: check that the secret is this endpoint's and that the body is passed as it arrived",
      );
    }
    const ageSeconds = this.#nowSeconds() - Number(claim.timestamp);
    if (Math.abs(ageSeconds) > claim.toleranceSeconds) {
      const isOld = ageSeconds > 0;
      throw new AffkitWebhookVerificationError(
        isOld ? 'timestamp_too_old' : 'timestamp_in_future',
        `The webhook was signed ${Math.abs(ageSeconds)} s ${isOld ? 'ago' : 'ahead'}, ${claim.toleranceSeconds} s are tolerated: check this machine's clock`,
      );
    }
    return parseEvent<Event>(claim.body);
  }

  #readSecrets(option: string | readonly string[] | undefined): readonly [string, ...string[]] {
    const value = option ?? this.#secret ?? [];
    const [first, ...others] = typeof value === 'string' ? [value] : value;
    if (first === undefined)
      throw configurationError('The webhook secret is missing: pass it, or set AFFKIT_WEBHOOK_SECRET');
    if ([first, ...others].some((secret) => typeof secret !== 'string' || secret.trim() === '')) {
      throw configurationError('A webhook secret must be a string that is not empty');
    }
    return [first, ...others];
  }

  #nowSeconds(): number {
    return Math.floor(this.#runtime.now() / 1000);
  }
}

function parseEvent<Event extends object>(body: Uint8Array): Event {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new AffkitWebhookVerificationError('payload_invalid', 'The signed body is no JSON', cause);
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    throw new AffkitWebhookVerificationError('payload_invalid', 'The signed body is no JSON object');
  }
  // The fields can't be checked here: the caller knows what the sender sends.
  return event as Event;
}
