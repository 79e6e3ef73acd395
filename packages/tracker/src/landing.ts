/** The part of `window` that tells how the visitor arrived. */
export interface LandingWindow {
  readonly location: Pick<Location, 'href' | 'origin'>;
  readonly performance: { getEntriesByType(type: 'navigation'): readonly { readonly name: string }[] };
}

/** The first non-empty value of `param` in the query, as the server reads it. */
export function partnerCode(url: string, param: string): string | undefined {
  return new URL(url).searchParams.getAll(param).find(Boolean);
}

/**
 * The URL by which the document was requested: it still has the partner's code after a router or a tag
 * manager has rewritten the address bar. A different code in the address bar is newer, and wins.
 */
export function landingUrl({ location, performance }: LandingWindow, param: string): string {
  const current = location.href;
  const code = partnerCode(current, param);
  const [entry] = performance.getEntriesByType('navigation');
  return entry?.name.startsWith(`${location.origin}/`) && (!code || code === partnerCode(entry.name, param))
    ? entry.name
    : current;
}

/** `url` with `code` as its only value of `param`. A URL that says so already stays as it is. */
export function withCode(url: string, param: string, code: string): string {
  if (partnerCode(url, param) === code) return url;
  const rewritten = new URL(url);
  rewritten.searchParams.set(param, code);
  return rewritten.href;
}
