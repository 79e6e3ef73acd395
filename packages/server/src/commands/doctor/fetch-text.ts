import { summarizeError } from '../../error-summary.ts';

const TIMEOUT_MS = 10_000;

export interface Fetched {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The URL after redirects. */
  readonly url: string;
}

/** Thrown when a request gets no response. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
}

/** @throws NoResponse with the reason in plain English */
export async function fetchText(url: string, init: RequestInit = {}): Promise<Fetched> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...init,
    });
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      url: response.url,
    };
  } catch (error) {
    throw new NoResponse(reasonOf(error), { cause: error });
  }
}

/** Parses a JSON object. Returns an empty object for any other text, such as the error page of a proxy. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name does not exist in DNS',
  EAI_AGAIN: 'the DNS server does not answer',
  ECONNREFUSED: 'nothing listens on that port',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate has no intermediate certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate belongs to another host name',
};

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `it did not answer within ${TIMEOUT_MS / 1000} seconds`;
  }
  // `fetch` wraps the connection error. If several addresses failed, the wrapped error is an AggregateError with one
  // error per address.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = first instanceof Error && 'code' in first ? String(first.code) : '';
  return REASONS[code] ?? summarizeError(first);
}
