import { param } from './config.ts';

/**
 * The parameter that passes the click to another site. Its value is `<click id>.<time when the visitor left
 * for that site>.<end of the attribution window>.<attribution model>.<fingerprint of the browser>`.
 */
export const LINK_PARAM = '_affkit';

/** Sets `param` to `value`, or removes it. If the URL already has that value, it is returned unchanged. */
export function withParam(url: string, param: string, value?: string): string {
  if (partnerCode(url, param) === value) return url;
  const rewritten = new URL(url);
  if (value) rewritten.searchParams.set(param, value);
  else rewritten.searchParams.delete(param);
  return rewritten.href;
}

/** Returns the first non-empty value of `param` in the query, as the server does. */
export function partnerCode(url: string, param: string): string | undefined {
  return new URL(url).searchParams.getAll(param).find(Boolean);
}

/**
 * Returns the landing URL. This is the URL in the address bar if it has a code. Otherwise, it is the URL with
 * which the document was requested. That URL still has the code if a router or a tag manager has rewritten the
 * address bar.
 */
export function landingUrl(): string {
  const { href } = location;
  const [entry] = partnerCode(href, param) ? [] : performance.getEntriesByType('navigation');
  // biome-ignore lint/complexity/useOptionalChain: its es2019 form is longer.
  return withParam(entry && entry.name.startsWith(`${location.origin}/`) ? entry.name : href, LINK_PARAM);
}
