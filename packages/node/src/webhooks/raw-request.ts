import { isRawBody, joinBytes, type RawBody } from './raw-body.ts';
import { AffkitWebhookVerificationError, type WebhookRefusal } from './verification-error.ts';

/** The part of a `fetch` request that is used. */
export interface FetchRequestLike {
  readonly headers: { get(name: string): string | null };
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The part of a `node:http`, Express or Fastify request that is used; Fastify's is no stream. */
export interface NodeRequestLike {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead?: boolean;
  readonly readableAborted?: boolean;
  /** What a body parser left. */
  readonly body?: unknown;
  /** The bytes that some hosts keep beside the parsed body. */
  readonly rawBody?: unknown;
  on?(event: string, listener: (argument: unknown) => void): unknown;
  off?(event: string, listener: (argument: unknown) => void): unknown;
}

type Stream = Required<Pick<NodeRequestLike, 'on' | 'off'>>;

/** What is signed in a request, and the header that signs it. */
export interface RawRequest {
  readonly header: string | string[] | null | undefined;
  readonly body: RawBody;
}

const MAX_BODY_BYTES = 1024 * 1024;
const PARSED =
  'The body was read before, so its bytes are gone. Let nothing parse this route first: in Express put ' +
  "express.raw({ type: '*/*' }) on it, before express.json(); in Fastify keep the bytes by a content type parser; in " +
  'NestJS set rawBody; with fetch requests call this before json() or text()';

/** Reads the raw body of a request, at most 1 MiB, and its signature header. */
export async function readRawRequest(
  request: FetchRequestLike | NodeRequestLike,
  headerName: string,
): Promise<RawRequest> {
  if ('arrayBuffer' in request) {
    if (request.bodyUsed) throw refused('body_already_parsed', PARSED);
    if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) throw tooLarge();
    const body = await request.arrayBuffer().catch((cause: unknown) => {
      throw incomplete(cause);
    });
    if (body.byteLength > MAX_BODY_BYTES) throw tooLarge();
    return { header: request.headers.get(headerName), body };
  }
  const header = request.headers[headerName.toLowerCase()];
  const kept = [request.rawBody, request.body].find(isRawBody);
  if (kept !== undefined) return { header, body: kept };
  // Fastify hands out no stream, but a request of its own, whose body its parsers have read.
  if (request.readableDidRead || !isStream(request)) throw refused('body_already_parsed', PARSED);
  if (request.readableAborted) throw incomplete();
  return { header, body: await readStream(request) };
}

function isStream(request: NodeRequestLike): request is NodeRequestLike & Stream {
  return typeof request.on === 'function' && typeof request.off === 'function';
}

/** Not by iteration: ending that early would destroy the socket, and the refusal could not be answered. The rest flows by unread. */
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
        finish(() => reject(tooLarge()));
      }
    };
    const onEnd = () => finish(() => resolve(joinBytes(chunks)));
    const onError = (cause: unknown) => finish(() => reject(incomplete(cause)));
    const onClose = () => finish(() => reject(incomplete()));
    request.on('end', onEnd);
    request.on('error', onError);
    request.on('close', onClose);
    request.on('data', onData);
  });
}

function tooLarge(): AffkitWebhookVerificationError {
  return refused('body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes`);
}

function incomplete(cause?: unknown): AffkitWebhookVerificationError {
  return refused('body_incomplete', 'The request ended before its whole body had arrived', cause);
}

function refused(reason: WebhookRefusal, message: string, cause?: unknown): AffkitWebhookVerificationError {
  return new AffkitWebhookVerificationError(reason, message, cause);
}
