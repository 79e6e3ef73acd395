import { configurationError } from '../errors.ts';
import type { WebhookEvent as SentEvent } from '../management/operations.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import { computeHmac, hasValidSignatureAsync, isEqualDigest } from './hmac.ts';
import { joinBytes, type RawBody, toBytes } from './raw-body.ts';
import type { FetchRequestLike, NodeRequestLike } from './raw-request.ts';
import { parseSignatureHeader, type SignatureHeader, toHex } from './signature-header.ts';
import {
  parseStandardHeaders,
  STANDARD_HEADERS,
  STANDARD_SECRET_PREFIX,
  type StandardWebhookHeaders,
  standardKeyOf,
} from './standard-headers.ts';
import { AffkitWebhookVerificationError } from './verification-error.ts';

/**
 * An event that Affkit sends to a webhook endpoint of a program. `type` tells which `data` it has. The signature
 * covers all fields, but the client does not validate them.
 */
export type AffkitEvent = SentEvent;

/** A verified webhook: the JSON object that the sender signed. Its fields are not validated. */
export interface WebhookEvent {
  readonly [name: string]: unknown;
}

/** Options of {@link Webhooks.verify} and {@link Webhooks.verifyAsync}. */
export interface VerifyOptions {
  /**
   * The signing secret of the endpoint. Pass a list of the new and the old secret while you rotate it.
   *
   * @default the secret of the client
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * The maximum difference between the timestamp of the signature and the current time, in seconds, in both
   * directions. 0 requires the same second.
   *
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined;
}

/** Options of {@link Webhooks.fromRequest}. */
export interface FromRequestOptions extends VerifyOptions {
  /**
   * The name of the signature header, for webhooks in the signature format of Stripe.
   *
   * @default the headers of Standard Webhooks if the request has them, otherwise 'stripe-signature'
   */
  readonly header?: string | undefined;
}

/** Options of {@link Webhooks.sign}. */
export interface SignOptions {
  /**
   * The signing secret.
   *
   * @default the first secret of the client
   */
  readonly secret?: string | undefined;
  /**
   * The timestamp of the signature, in seconds since the epoch.
   *
   * @default now
   */
  readonly timestamp?: number | undefined;
}

type HeaderValue = string | readonly string[] | null | undefined;

interface SignedPayload extends SignatureHeader {
  readonly keys: readonly Uint8Array<ArrayBuffer>[];
  readonly toleranceSeconds: number;
  /** The part of the signed message before the body. */
  readonly prefix: Uint8Array;
  readonly body: Uint8Array;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/**
 * Verifies webhooks in the signature format of Stripe: the header is `t=<seconds>,v1=<hex>`, where the hex is
 * the HMAC-SHA256 of `<t>.<body>`. A webhook is accepted if one of its signatures matches one of the secrets
 * and its timestamp is within the tolerance. Replays within the tolerance are not detected.
 *
 * Affkit signs its own webhooks according to the Standard Webhooks specification. `fromRequest` recognizes
 * them, and `verify` accepts their headers instead of a signature header.
 *
 * @example
 * ```ts
 * app.post('/webhooks/stripe', express.raw({ type: '*\/*' }), async (request, response) => {
 *   const event = await affkit.webhooks.fromRequest<Stripe.Event>(request);
 *   response.sendStatus(200);
 * });
 * ```
 */
export class Webhooks {
  readonly #secret: string | readonly string[] | undefined;
  readonly #runtime: Runtime;

  /** @param options `secret` is the default secret of all methods; each method can override it */
  constructor(options: { secret?: string | readonly string[] | undefined; runtime?: Runtime } = {}) {
    this.#secret = options.secret;
    this.#runtime = options.runtime ?? systemRuntime;
  }

  /**
   * Verifies a webhook and returns its parsed body. The type parameter is not checked at run time.
   *
   * @param rawBody the body exactly as it was received, not parsed
   * @param header the value of the signature header, or the headers of a webhook of Affkit
   * @throws AffkitWebhookVerificationError with a `reason` if the webhook is not valid
   * @throws AffkitConfigurationError if no secret is configured, if a secret has no key, or if the runtime has no
   * `node:crypto`
   */
  verify(rawBody: RawBody, headers: StandardWebhookHeaders, options?: VerifyOptions): AffkitEvent;
  verify<Event extends object = WebhookEvent>(
    rawBody: RawBody,
    header: HeaderValue,
    options?: VerifyOptions,
  ): Event;
  verify(
    rawBody: RawBody,
    header: HeaderValue | StandardWebhookHeaders,
    options: VerifyOptions = {},
  ): object {
    const payload = this.#readPayload(rawBody, header, options);
    const isSigned = payload.keys.some((key) => {
      const expected = computeHmac(key, payload.prefix, payload.body);
      return payload.signatures.some((signature) => isEqualDigest(signature, expected));
    });
    return this.#accept(payload, isSigned);
  }

  /** Like {@link Webhooks.verify}, but with WebCrypto, for runtimes without `node:crypto`. */
  verifyAsync(
    rawBody: RawBody,
    headers: StandardWebhookHeaders,
    options?: VerifyOptions,
  ): Promise<AffkitEvent>;
  verifyAsync<Event extends object = WebhookEvent>(
    rawBody: RawBody,
    header: HeaderValue,
    options?: VerifyOptions,
  ): Promise<Event>;
  async verifyAsync(
    rawBody: RawBody,
    header: HeaderValue | StandardWebhookHeaders,
    options: VerifyOptions = {},
  ): Promise<object> {
    return this.#verifyAsync(this.#readPayload(rawBody, header, options));
  }

  /**
   * Verifies a whole request: a fetch `Request`, a `node:http` request, or a request of Express, Fastify or
   * NestJS. Checks the format of the signature header before it reads the body. Reads at most 1 MiB, or uses
   * the raw bytes if the framework stored them. No body parser may consume the body first.
   *
   * @throws AffkitWebhookVerificationError with a `reason` if the webhook is not valid, e.g.
   * `body_already_parsed`
   * @throws AffkitConfigurationError if no secret is configured, or if a secret has no key
   */
  async fromRequest<Event extends object = WebhookEvent>(
    request: FetchRequestLike | NodeRequestLike,
    options: FromRequestOptions = {},
  ): Promise<Event> {
    this.#readSecrets(options.secret);
    const { readHeader, readRawBody } = await import('./raw-request.ts');
    const isStandard = options.header === undefined && readHeader(request, 'webhook-signature') != null;
    const header = isStandard
      ? Object.fromEntries(STANDARD_HEADERS.map((name) => [name, readHeader(request, name)]))
      : readHeader(request, options.header ?? 'stripe-signature');
    // Runs before the body is read, so that a request without a signature costs no memory.
    parseHeader(header);
    return this.#verifyAsync(this.#readPayload(await readRawBody(request), header, options));
  }

  /** Creates the signature header of a body, for tests of your webhook endpoint. */
  sign(rawBody: RawBody, options: SignOptions = {}): string {
    const [secret] = this.#readSecrets(options.secret);
    const timestamp = String(options.timestamp ?? this.#nowSeconds());
    const signature = computeHmac(encoder.encode(secret), encoder.encode(`${timestamp}.`), toBytes(rawBody));
    return `t=${timestamp},v1=${toHex(signature)}`;
  }

  #readPayload(
    rawBody: RawBody,
    header: HeaderValue | StandardWebhookHeaders,
    options: VerifyOptions,
  ): SignedPayload {
    const secrets = this.#readSecrets(options.secret);
    const toleranceSeconds = options.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
    if (!(toleranceSeconds >= 0)) {
      throw configurationError(
        `toleranceSeconds must be a number of at least 0, got ${String(toleranceSeconds)}`,
      );
    }
    const body = toBytes(rawBody);
    const { timestamp, signatures, start, keyOf } = parseHeader(header);
    // A secret of another format belongs to another sender, so it cannot match.
    const keys = secrets.flatMap((secret) => keyOf(secret) ?? []);
    return { timestamp, signatures, keys, toleranceSeconds, prefix: encoder.encode(start), body };
  }

  async #verifyAsync<Event extends object>(payload: SignedPayload): Promise<Event> {
    const message = joinBytes([payload.prefix, payload.body]);
    return this.#accept(payload, await hasValidSignatureAsync(payload.keys, message, payload.signatures));
  }

  #accept<Event extends object>(payload: SignedPayload, isSigned: boolean): Event {
    if (!isSigned) {
      throw new AffkitWebhookVerificationError(
        'signature_mismatch',
        'No signature matches: check that the secret belongs to this endpoint and that the body is unmodified',
      );
    }
    const ageSeconds = this.#nowSeconds() - Number(payload.timestamp);
    if (Math.abs(ageSeconds) > payload.toleranceSeconds) {
      const isOld = ageSeconds > 0;
      throw new AffkitWebhookVerificationError(
        isOld ? 'timestamp_too_old' : 'timestamp_in_future',
        `The webhook was signed ${Math.abs(ageSeconds)} s ${isOld ? 'ago' : 'in the future'}; the tolerance is ${payload.toleranceSeconds} s. Check the clock of this machine`,
      );
    }
    return parseWebhookEvent<Event>(payload.body);
  }

  #readSecrets(option: string | readonly string[] | undefined): readonly [string, ...string[]] {
    const value = option ?? this.#secret ?? [];
    const [first, ...others] = typeof value === 'string' ? [value] : value;
    if (first === undefined) {
      throw configurationError('webhookSecret is required: pass the option or set AFFKIT_WEBHOOK_SECRET');
    }
    if ([first, ...others].some((secret) => typeof secret !== 'string' || secret.trim() === '')) {
      throw configurationError('webhookSecret must be a non-empty string or a list of non-empty strings');
    }
    if ([first, ...others].some((secret) => secret.trim() === STANDARD_SECRET_PREFIX)) {
      throw configurationError(
        `webhookSecret must have a key after ${STANDARD_SECRET_PREFIX}: copy the whole secret of the endpoint`,
      );
    }
    return [first, ...others];
  }

  #nowSeconds(): number {
    return Math.floor(this.#runtime.now() / 1000);
  }
}

/** Parses a header in Stripe's signature format, or the headers of a Standard Webhook. */
function parseHeader(header: HeaderValue | StandardWebhookHeaders): SignatureHeader & {
  readonly start: string;
  readonly keyOf: (secret: string) => Uint8Array<ArrayBuffer> | null;
} {
  if (typeof header === 'object' && header !== null && !Array.isArray(header)) {
    return { ...parseStandardHeaders(header as StandardWebhookHeaders), keyOf: standardKeyOf };
  }
  const parsed = parseSignatureHeader(header);
  return { ...parsed, start: `${parsed.timestamp}.`, keyOf: (secret) => encoder.encode(secret) };
}

function parseWebhookEvent<Event extends object>(body: Uint8Array): Event {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new AffkitWebhookVerificationError('payload_invalid', 'The signed body is not valid JSON', cause);
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    throw new AffkitWebhookVerificationError('payload_invalid', 'The signed body is not a JSON object');
  }
  // The fields are not validated, because only the caller knows the sender's events.
  return event as Event;
}
