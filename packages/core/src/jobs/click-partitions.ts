import { HOUR_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { maintainClickPartitions } from '../storage/database/maintain-click-partitions.ts';

/**
 * Returns the job that adds the partitions of the next months to the table of clicks. Once an hour, it checks whether
 * these partitions exist. If a month has no partition, its clicks are stored in the last partition.
 */
export function createPartitionJob(): (runtime: Runtime) => Promise<boolean> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async function addClickPartitions({ engine, now, log }) {
    const at = now();
    if (Math.abs(at - checkedAt) < HOUR_MS) return false;
    checkedAt = at;
    await maintainClickPartitions(engine, at, log);
    return false;
  };
}
