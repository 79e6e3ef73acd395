import { AffkitConfigurationError, configurationError } from './errors.ts';
import { errorSummary } from './redact.ts';

/**
 * A tracking token (`aff_…`), or a function that returns the current token. The function is called before
 * every request.
 */
export type TokenSource = string | (() => string | Promise<string>);

/**
 * Validates the format of a token. No error message contains the token.
 *
 * @throws AffkitConfigurationError if the value is missing or is not a tracking token
 */
export function validateToken(value: unknown): string {
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
 * Returns the tracking token or management key to send with the next request. Rejects with an
 * `AffkitConfigurationError` if the function that supplies it throws or returns an invalid value.
 */
export type CredentialReader = () => string | Promise<string>;

/**
 * Validates a fixed credential immediately. If a function supplies the credential, validates each value that it
 * returns.
 *
 * @param name the option that holds the credential
 * @throws AffkitConfigurationError if a fixed credential is missing or not valid. A `source` that is a function is
 * called only by the returned reader, which rejects with such errors.
 */
export function credentialReader(
  name: string,
  source: TokenSource | undefined,
  validate: (value: unknown) => string,
): CredentialReader {
  if (typeof source !== 'function') {
    const credential = validate(source);
    return () => credential;
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
    return validate(value);
  };
}
