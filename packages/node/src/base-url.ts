import { configurationError } from './errors.ts';

/**
 * Validates `baseUrl` and removes trailing slashes. Plain http is accepted on loopback only, because every
 * request carries the token.
 *
 * @throws AffkitConfigurationError if the URL is missing or not valid. The message does not contain the URL,
 * which may hold a password.
 */
export function readBaseUrl(text: string | undefined): string {
  if (text === undefined) {
    throw configurationError('baseUrl is required: pass the option baseUrl or set AFFKIT_BASE_URL');
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    throw configurationError('baseUrl must be an absolute URL, e.g. https://affiliates.example.com');
  }
  if (url.username !== '' || url.password !== '') {
    throw configurationError('baseUrl must not contain a user or a password');
  }
  if (url.search !== '' || url.hash !== '') {
    throw configurationError('baseUrl must not have a query or a fragment');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw configurationError(
      `baseUrl must start with https:// (http:// is accepted on loopback only), got ${url.protocol}//`,
    );
  }
  return url.href.replace(/(^|[^/])\/+$/, '$1');
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
