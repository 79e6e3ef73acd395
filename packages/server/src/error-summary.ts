/** The first line of what an error says: what follows it is for whoever reads code, not for an operator. */
export function summarizeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
