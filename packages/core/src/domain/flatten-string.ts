/**
 * Returns a copy of a string, for caches. V8 stores a substring as a reference to the string that it was cut
 * from, so a cached substring would keep the whole string in memory.
 */
export function flattenString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
