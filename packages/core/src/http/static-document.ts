import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import Negotiator from 'negotiator';
import type { HttpReply } from './message.ts';

/** In order of preference. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Higher qualities save little, and take ten times as long. */
const BROTLI_QUALITY = 8;

interface Representation {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/**
 * A text that is the same for every request. All responses share its bytes, so a client that requests it many
 * times without reading the responses takes little memory. Each encoding is compressed once, on first use.
 */
export class StaticDocument {
  readonly #content: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #hash: string;
  readonly #representations = new Map<Encoding, Representation>();

  /** @param headers headers of every response, with the `content-type` and in lower case */
  constructor(
    content: string,
    headers: Readonly<Record<string, string>> & { readonly 'content-type': string },
  ) {
    this.#content = Buffer.from(content);
    this.#headers = headers;
    this.#hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  }

  /**
   * Returns a 200 in the best encoding that the client accepts, or a 304 if the client has it already.
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
    // A strong tag identifies the bytes, so each encoding has its own.
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

/** Whether `If-None-Match` lists the tag. It compares weakly, because proxies may weaken a tag. */
function matchesEtag(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
