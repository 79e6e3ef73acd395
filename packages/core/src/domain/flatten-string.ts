/**
 * Copies a string that is kept in memory for a long time. V8 stores a substring as a reference to its source,
 * so a short substring can keep a large text in memory.
 */
export function flattenString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
