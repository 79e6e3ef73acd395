/** Returns the count with its noun: `1 month`, `2 months`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
