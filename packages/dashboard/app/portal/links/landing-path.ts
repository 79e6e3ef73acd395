/**
 * The path of a page of the site, from what a partner typed or pasted: a path or an address.
 * @returns null if it is not a page of the site; undefined if nothing was typed
 */
export function landingPathOf(text: string, siteUrl: string): string | null | undefined {
  const given = text.trim();
  if (given === '') return undefined;
  const { origin } = new URL(siteUrl);
  const isPath = given.startsWith('/') && !given.startsWith('//') && !given.includes('\\');
  const address = isPath ? origin + given : /^https?:/.test(given) ? given : `https://${given}`;
  const url = URL.parse(address);
  return url?.origin === origin ? url.pathname + url.search + url.hash : null;
}
