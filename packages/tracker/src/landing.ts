import { param } from './config.ts';

/** Carries the click from another site: `<click id>.<time of the click on the link>.<end of its window>`. */
export const LINK_PARAM = '_affkit';

/** The first non-empty value of `param` in the query, as the server reads it. */
export function partnerCode(url: string, param: string): string | undefined {
  return new URL(url).searchParams.getAll(param).find(Boolean);
}

/**
 * The URL by which the document was requested: it still has the partner's code after a router or a tag
 * manager has rewritten the address bar. A code in the address bar is newer, or the same, and wins.
 */
export function landingUrl(): string {
  const { href, origin } = location;
  const [{ name } = { name: href }] = performance.getEntriesByType('navigation');
  return withParam(name.startsWith(`${origin}/`) && !partnerCode(href, param) ? name : href, LINK_PARAM);
}

/** `url` with `value` as its only value of `param`, or without any. One that says so already stays as it is. */
export function withParam(url: string, param: string, value?: string): string {
  if (partnerCode(url, param) === value) return url;
  const rewritten = new URL(url);
  if (value) rewritten.searchParams.set(param, value);
  else rewritten.searchParams.delete(param);
  return rewritten.href;
}
