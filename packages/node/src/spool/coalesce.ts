/**
 * Wraps `work` so that its runs never overlap. Calls made during a run share the next run, because the current
 * run may have started too early to include their changes.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let nextRun: Promise<void> | undefined;
  const startRun = () => {
    const run = work().finally(() => {
      if (running === run) running = undefined;
    });
    running = run;
    return run;
  };
  return () => {
    if (nextRun !== undefined) return nextRun;
    if (running === undefined) return startRun();
    nextRun = running
      .catch(() => {})
      .then(() => {
        nextRun = undefined;
        return startRun();
      });
    return nextRun;
  };
}
