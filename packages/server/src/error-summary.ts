/** Returns the first line of the error's message. All other lines are for developers, not for operators. */
export function summarizeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
