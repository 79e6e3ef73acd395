import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects garbage, then returns the memory in use in bytes, including memory outside of the V8 heap. */
export function liveBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Returns the result of the work, and by how many bytes the memory in use grew at most while it ran. Each measurement
 * collects garbage, so the measurements take at most a fifth of the time.
 */
export async function measureGrowth<T>(work: () => Promise<T>): Promise<{ result: T; growth: number }> {
  const before = liveBytes();
  let growth = 0;
  let isRunning = true;
  const measureRepeatedly = async () => {
    while (isRunning) {
      const start = performance.now();
      growth = Math.max(growth, liveBytes() - before);
      await sleep(Math.max(100, 4 * (performance.now() - start)));
    }
  };
  const measured = measureRepeatedly();
  try {
    const result = await work();
    return { result, growth: Math.max(growth, liveBytes() - before) };
  } finally {
    isRunning = false;
    await measured;
  }
}
