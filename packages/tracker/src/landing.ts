import { param } from './config.ts';

/**
 * Parameter that passes the click to another site. Its value is
 * `<click id>.<time when the visitor left for that site>.<end of the attribution window>`.
 */
export const LINK_PARAM = '_affkit';

/** Returns the first non-empty value of `param` in the query, as the server does. */
export function partnerCode(url: string, param: string): string | undefined {
  return new URL(url).searchParams.getAll(param).find(Boolean);
}

/**
 * Returns the URL that requested the document, which still has the partner's code after a router or a tag
 * manager has rewritten the address bar. If the address bar has a code, it returns the URL in the address
 * bar, because that code is the same or newer.
 */
export function landingUrl(): string {
  const { href, origin } = location;
  const [{ name } = { name: href }] = performance.getEntriesByType('navigation');
  return withParam(name.startsWith(`${origin}/`) && !partnerCode(href, param) ? name : href, LINK_PARAM);
}

/** Sets `param` to `value`, or removes it. Returns the URL unchanged if it already has that value. */
export function withParam(url: string, param: string, value?: string): string {
  if (partnerCode(url, param) === value) return url;
  const rewritten = new URL(url);
  if (value) rewritten.searchParams.set(param, value);
  else rewritten.searchParams.delete(param);
  return rewritten.href;
}
