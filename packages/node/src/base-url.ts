import { configurationError } from './errors.ts';

/** The server's address without a trailing slash. Plain http is taken for loopback alone: it carries a secret. */
export function readBaseUrl(text: string | undefined): string {
  if (text === undefined) throw configurationError('baseUrl is missing: pass it, or set AFFKIT_BASE_URL');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    throw configurationError('baseUrl must be an absolute URL, e.g. https://affiliates.example.com');
  if (url.username !== '' || url.password !== '')
    throw configurationError('baseUrl must not hold a user or a password');
  if (url.search !== '' || url.hash !== '')
    throw configurationError('baseUrl must not have a query or a fragment');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw configurationError(
      `baseUrl must begin with https:// (http:// is for loopback only), not ${url.protocol}//`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
