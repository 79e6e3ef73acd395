import { AffkitConfigurationError, configurationError } from './errors.ts';
import { reasonOf } from './redact.ts';

/** A tracking token, or a function that gives the present one; it is asked before every request. */
export type TokenSource = string | (() => string | Promise<string>);

/** Checks the form of a token as far as that can be told offline. No message repeats the token. */
export function readToken(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw configurationError('token is missing: pass it, or set AFFKIT_TOKEN');
  }
  const token = value.trim();
  if (token.startsWith('affk_')) {
    throw configurationError(
      'token is a management key (affk_…): the SDK takes the tracking token of a program (aff_…)',
    );
  }
  if (!/^aff_[\x21-\x7e]+$/.test(token)) {
    throw configurationError('token is not a tracking token: those begin with aff_ and hold no spaces');
  }
  return token;
}

/** The token to send now. */
export async function resolveToken(source: TokenSource): Promise<string> {
  if (typeof source === 'string') return source;
  let value: unknown;
  try {
    value = await source();
  } catch (cause) {
    throw new AffkitConfigurationError(`The token function failed: ${reasonOf(cause)}`, {
      code: 'token_unavailable',
      retryable: true,
      cause,
    });
  }
  return readToken(value);
}
