/**
 * Returns a copy of a string, for caches. V8 stores a substring as a reference to the original string. A
 * cached substring would therefore keep the whole original in memory.
 */
export function flattenString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
