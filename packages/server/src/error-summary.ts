/** Returns the first line of the error's message. Further lines help developers, not operators. */
export function summarizeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
