/** Resolves after the time in milliseconds, and at the earliest in the next task of the event loop. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
