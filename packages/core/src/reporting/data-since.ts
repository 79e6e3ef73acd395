import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { findFirstDay } from '../storage/reads/daily-totals.ts';

/**
 * Finds the time at which the data of a program or of an enrollment begins. The data can be older than the program or
 * the enrollment, because the history of another affiliate service can be imported.
 * @param partnerId the partner of the enrollment. If missing, the data of the whole program counts
 */
export async function readDataSince(
  { engine }: Pick<Runtime, 'engine'>,
  { programId, partnerId }: { readonly programId: number; readonly partnerId?: number },
  createdAt: number,
): Promise<number> {
  const first = await findFirstDay(engine.read, programId, partnerId);
  return first === null ? createdAt : Math.min(createdAt, first * DAY_MS);
}
