/**
 * Returns the path of a page on the program's site. The partner has entered the path or the whole URL.
 * @returns null if it is not a page of the site; undefined if the text is empty
 */
export function landingPathOf(text: string, siteUrl: string): string | null | undefined {
  const given = text.trim();
  if (given === '') return undefined;
  const { origin, protocol } = new URL(siteUrl);
  const isPath = given.startsWith('/') && !given.startsWith('//') && !given.includes('\\');
  const address = isPath ? origin + given : /^https?:/i.test(given) ? given : `${protocol}//${given}`;
  const url = URL.parse(address);
  return url?.origin === origin ? url.pathname + url.search + url.hash : null;
}
