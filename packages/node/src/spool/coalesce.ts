/**
 * Wraps `work` so that its runs never overlap. Calls made during a run share the next run, because the current
 * run may have started too early to include their changes.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let lastRun = Promise.resolve();
  let nextRun: Promise<void> | undefined;
  return () => {
    nextRun ??= lastRun
      .catch(() => {})
      .then(() => {
        nextRun = undefined;
        lastRun = work();
        return lastRun;
      });
    return nextRun;
  };
}
