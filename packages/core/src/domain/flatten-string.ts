/**
 * Copies a string that stays in memory for a long time. V8 stores a substring as a reference that keeps its
 * whole source in memory.
 */
export function flattenString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
