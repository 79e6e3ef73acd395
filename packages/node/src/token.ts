import { AffkitConfigurationError, configurationError } from './errors.ts';
import { errorSummary } from './redact.ts';

/**
 * A tracking token (`aff_…`), or a function that returns the current token. The function is called before
 * every request.
 */
export type TokenSource = string | (() => string | Promise<string>);

/**
 * Validates the format of a token. No message contains the token.
 *
 * @throws AffkitConfigurationError if the value is missing or is not a tracking token
 */
export function readToken(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw configurationError('token is required: pass the option token or set AFFKIT_TOKEN');
  }
  const token = value.trim();
  if (token.startsWith('affk_')) {
    throw configurationError(
      'token must be the tracking token of a program (aff_…), got a management key (affk_…)',
    );
  }
  if (!/^aff_[\x21-\x7e]+$/.test(token)) {
    throw configurationError('token must be a tracking token: it starts with aff_ and contains no spaces');
  }
  return token;
}

/**
 * Returns the token to send with the next request. Rejects with an `AffkitConfigurationError` if the token
 * function throws or returns an invalid token.
 */
export type TokenReader = () => string | Promise<string>;

/**
 * Validates a fixed token immediately. If a function supplies the token, validates each token that it returns.
 *
 * @param name the option that holds the token
 * @throws AffkitConfigurationError if a fixed token is missing or not valid. A token function is not called yet, so
 * its errors appear only when the returned function is called.
 */
export function tokenReader(
  name: string,
  source: TokenSource | undefined,
  read: (value: unknown) => string,
): TokenReader {
  if (typeof source !== 'function') {
    const token = read(source);
    return () => token;
  }
  return async () => {
    let value: unknown;
    try {
      value = await source();
    } catch (cause) {
      throw new AffkitConfigurationError(`The ${name} function threw an error: ${errorSummary(cause)}`, {
        code: 'token_unavailable',
        retryable: true,
        cause,
      });
    }
    return read(value);
  };
}
