/** A copy of a text, to be kept for long: a piece that was cut out of a text would keep all of that in memory. */
export function flattenString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
