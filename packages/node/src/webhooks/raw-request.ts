import { isRawBody, joinBytes, type RawBody } from './raw-body.ts';
import { AffkitWebhookVerificationError, type WebhookRefusal } from './verification-error.ts';

/** The parts of a fetch `Request` that are used. */
export interface FetchRequestLike {
  readonly headers: { get(name: string): string | null };
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * The parts of a `node:http`, Express or Fastify request that are used. Fastify's request is not a stream.
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

/** The raw body of a request and its signature header. */
export interface RawRequest {
  readonly header: string | string[] | null | undefined;
  readonly body: RawBody;
}

const MAX_BODY_BYTES = 1024 * 1024;
const PARSED_MESSAGE =
  'The request body was already parsed, so its raw bytes are gone. Do not parse the body of this route. In Express, ' +
  "use express.raw({ type: '*/*' }) on this route, before express.json(). In Fastify, keep the bytes in a content " +
  'type parser. In NestJS, set rawBody: true. With a fetch request, call fromRequest before json() or text()';

/**
 * Reads the raw body of a request, at most 1 MiB, and its signature header.
 *
 * @throws AffkitWebhookVerificationError if the body is too large, incomplete or already parsed
 */
export async function readRawRequest(
  request: FetchRequestLike | NodeRequestLike,
  headerName: string,
): Promise<RawRequest> {
  if ('arrayBuffer' in request) {
    if (request.bodyUsed) throw verificationError('body_already_parsed', PARSED_MESSAGE);
    if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) throw bodyTooLarge();
    const body = await request.arrayBuffer().catch((cause: unknown) => {
      throw bodyIncomplete(cause);
    });
    if (body.byteLength > MAX_BODY_BYTES) throw bodyTooLarge();
    return { header: request.headers.get(headerName), body };
  }
  const header = request.headers[headerName.toLowerCase()];
  const rawBody = [request.rawBody, request.body].find(isRawBody);
  if (rawBody !== undefined) return { header, body: rawBody };
  // Fastify's request is not a stream, and its parsers have already read the body.
  if (request.readableDidRead || !isStream(request))
    throw verificationError('body_already_parsed', PARSED_MESSAGE);
  if (request.readableAborted) throw bodyIncomplete();
  return { header, body: await readStream(request) };
}

function isStream(request: NodeRequestLike): request is NodeRequestLike & Stream {
  return typeof request.on === 'function' && typeof request.off === 'function';
}

/**
 * Reads the stream with listeners instead of `for await`: leaving such a loop early destroys the socket, and
 * the handler could then not send an error response. The rest of an overlong body is discarded.
 */
function readStream(request: Stream): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const finish = (settle: () => void) => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('error', onError);
      request.off('close', onClose);
      settle();
    };
    const onData = (chunk: unknown) => {
      const bytes = chunk instanceof Uint8Array ? chunk : new TextEncoder().encode(String(chunk));
      length += bytes.byteLength;
      chunks.push(bytes);
      if (length > MAX_BODY_BYTES) {
        finish(() => reject(bodyTooLarge()));
      }
    };
    const onEnd = () => finish(() => resolve(joinBytes(chunks)));
    const onError = (cause: unknown) => finish(() => reject(bodyIncomplete(cause)));
    const onClose = () => finish(() => reject(bodyIncomplete()));
    request.on('end', onEnd);
    request.on('error', onError);
    request.on('close', onClose);
    request.on('data', onData);
  });
}

function bodyTooLarge(): AffkitWebhookVerificationError {
  return verificationError('body_too_large', `The request body is larger than ${MAX_BODY_BYTES} bytes`);
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
