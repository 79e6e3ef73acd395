import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import Negotiator from 'negotiator';
import type { HttpReply } from './message.ts';

/** The supported encodings, in order of preference. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Higher qualities save little more space but take ten times as long. */
const BROTLI_QUALITY = 8;

interface Representation {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/**
 * A text that is the same for every request. All responses share its bytes, so clients that do not read their
 * responses cannot fill the memory. Each encoding is compressed only once, on first use.
 */
export class StaticDocument {
  readonly #content: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #hash: string;
  readonly #representations = new Map<Encoding, Representation>();

  /** @param headers the headers of every response, in lower case; must include `content-type` */
  constructor(
    content: string,
    headers: Readonly<Record<string, string>> & { readonly 'content-type': string },
  ) {
    this.#content = Buffer.from(content);
    this.#headers = headers;
    this.#hash = hash('sha256', content, 'base64url').slice(0, 22);
  }

  /**
   * Returns a 200 in the best encoding that the client accepts, or a 304 if the client already has the text.
   * @param header returns a request header by its lower-case name
   */
  reply(header: (name: string) => string | undefined): HttpReply {
    const encoding = negotiate(header('accept-encoding'));
    const { bytes, etag } = this.#representation(encoding);
    const { 'content-type': contentType, ...others } = this.#headers;
    const headers = { ...others, etag, vary: 'accept-encoding' };
    if (matchesEtag(etag, header('if-none-match'))) return { status: 304, headers, body: null };
    return {
      status: 200,
      headers: {
        ...headers,
        'content-type': String(contentType),
        'content-length': String(bytes.length),
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      },
      body: bytes,
    };
  }

  #representation(encoding: Encoding): Representation {
    const known = this.#representations.get(encoding);
    if (known) return known;
    // Each encoding needs its own ETag, because a strong ETag identifies the exact bytes.
    const representation = {
      bytes: encode(this.#content, encoding),
      etag: `"${this.#hash}-${encoding}"`,
    };
    this.#representations.set(encoding, representation);
    return representation;
  }
}

function negotiate(accepted: string | undefined): Encoding {
  const encodings = new Negotiator({ headers: { 'accept-encoding': accepted } }).encodings([...ENCODINGS]);
  return ENCODINGS.find((encoding) => encodings.includes(encoding)) ?? 'identity';
}

function encode(content: Buffer, encoding: Encoding): Uint8Array {
  switch (encoding) {
    case 'br':
      return brotliCompressSync(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      });
    case 'gzip':
      return gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
    case 'identity':
      return content;
  }
}

/** Whether `If-None-Match` contains the ETag. A weak ETag matches too, because proxies may weaken an ETag. */
function matchesEtag(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
