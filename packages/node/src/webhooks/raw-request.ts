import { isRawBody, type RawBody, readBytes } from './raw-body.ts';
import { AffkitWebhookVerificationError, type WebhookRefusal } from './verification-error.ts';

/** The parts of a fetch `Request` that `fromRequest` uses. */
export interface FetchRequestLike {
  readonly headers: { get(name: string): string | null };
  readonly bodyUsed: boolean;
  readonly body: { readonly locked: boolean; getReader(): BodyReader } | null;
}

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(): Promise<void>;
}

/**
 * The parts of a `node:http`, Express or Fastify request that `fromRequest` uses. Fastify's request is not a stream.
 */
export interface NodeRequestLike {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead?: boolean;
  readonly readableAborted?: boolean;
  /** The output of a body parser. */
  readonly body?: unknown;
  /** The raw bytes, which some frameworks store in addition to the parsed body. */
  readonly rawBody?: unknown;
  on?(event: string, listener: (argument: unknown) => void): unknown;
  off?(event: string, listener: (argument: unknown) => void): unknown;
}

type Stream = Required<Pick<NodeRequestLike, 'on' | 'off'>>;

const MAX_WEBHOOK_BODY_BYTES = 1024 * 1024;
const PARSED_MESSAGE =
  'The request body was already parsed, so its raw bytes are gone. Turn off body parsing for this route. In Express, ' +
  "use express.raw({ type: '*/*' }) on this route, before express.json(). In Fastify, keep the bytes in a content " +
  'type parser. In NestJS, set rawBody: true. With a fetch request, call fromRequest before json() or text()';

/** The signature header of a request. */
export function readHeader(
  request: FetchRequestLike | NodeRequestLike,
  name: string,
): string | string[] | null | undefined {
  return isFetchRequest(request) ? request.headers.get(name) : request.headers[name.toLowerCase()];
}

/**
 * Reads the raw body of a request. The body may have at most 1 MiB.
 *
 * @throws AffkitWebhookVerificationError if the body is too large, incomplete or already parsed
 */
export async function readRawBody(request: FetchRequestLike | NodeRequestLike): Promise<RawBody> {
  const isFetch = isFetchRequest(request);
  const rawBody = isFetch ? undefined : [request.rawBody, request.body].find(isRawBody);
  if (rawBody !== undefined) return rawBody;
  if (Number(readHeader(request, 'content-length')) > MAX_WEBHOOK_BODY_BYTES) throw bodyTooLarge();
  if (isFetch) return readFetchBody(request);
  // Fastify's request is not a stream, and its parsers have already read the body.
  if (request.readableDidRead || !isStream(request))
    throw verificationError('body_already_parsed', PARSED_MESSAGE);
  if (request.readableAborted) throw bodyIncomplete();
  return readRequestStream(request);
}

function isFetchRequest(request: FetchRequestLike | NodeRequestLike): request is FetchRequestLike {
  return 'bodyUsed' in request;
}

function isStream(request: NodeRequestLike): request is NodeRequestLike & Stream {
  return typeof request.on === 'function' && typeof request.off === 'function';
}

async function readFetchBody({ body, bodyUsed }: FetchRequestLike): Promise<Uint8Array> {
  if (bodyUsed || body?.locked) throw verificationError('body_already_parsed', PARSED_MESSAGE);
  const collected = new BodyBuffer();
  if (body === null) return collected.bytes();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw bodyIncomplete(cause);
    });
    if (done) return collected.bytes();
    if (!collected.appendChunk(value)) {
      // Not awaited, because cancelling the stream may take arbitrarily long.
      reader.cancel().catch(() => {});
      throw bodyTooLarge();
    }
  }
}

/**
 * Reads the stream with listeners. Leaving a `for await` loop early would destroy the socket, and the handler could not
 * send an error response. The rest of an overlong body is discarded.
 */
function readRequestStream(request: Stream): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const collected = new BodyBuffer();
    const finish = (settle: () => void) => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('error', onError);
      request.off('close', onClose);
      settle();
    };
    const onData = (chunk: unknown) => {
      if (!collected.appendChunk(chunk)) finish(() => reject(bodyTooLarge()));
    };
    const onEnd = () => finish(() => resolve(collected.bytes()));
    const onError = (cause: unknown) => finish(() => reject(bodyIncomplete(cause)));
    const onClose = () => finish(() => reject(bodyIncomplete()));
    request.on('end', onEnd);
    request.on('error', onError);
    request.on('close', onClose);
    request.on('data', onData);
  });
}

/**
 * Collects the chunks of a body in one array. A list of chunks would need about 100 bytes per chunk, and a
 * sender can send chunks of a single byte.
 */
class BodyBuffer {
  #bytes = new Uint8Array(16 * 1024);
  #length = 0;

  /** Returns false, and adds nothing, if the body would exceed 1 MiB. */
  appendChunk(chunk: unknown): boolean {
    const added = readBytes(chunk) ?? new TextEncoder().encode(String(chunk));
    const length = this.#length + added.byteLength;
    if (length > MAX_WEBHOOK_BODY_BYTES) return false;
    if (length > this.#bytes.byteLength) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.byteLength));
      grown.set(this.bytes());
      this.#bytes = grown;
    }
    this.#bytes.set(added, this.#length);
    this.#length = length;
    return true;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

function bodyTooLarge(): AffkitWebhookVerificationError {
  return verificationError(
    'body_too_large',
    `The request body is larger than ${MAX_WEBHOOK_BODY_BYTES} bytes. Reject the request: no processor sends such a webhook`,
  );
}

function bodyIncomplete(cause?: unknown): AffkitWebhookVerificationError {
  return verificationError('body_incomplete', 'The request ended before the whole body arrived', cause);
}

function verificationError(
  reason: WebhookRefusal,
  message: string,
  cause?: unknown,
): AffkitWebhookVerificationError {
  return new AffkitWebhookVerificationError(reason, message, cause);
}
