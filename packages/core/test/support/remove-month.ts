import { monthOf } from '../../src/domain/month.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { markMonth, markMonthRemoved } from '../../src/storage/tracking/removed-months.ts';

/** Marks the month of the time `at` as removed, without removing its clicks. */
export async function markAsRemoved(engine: Engine, at: number): Promise<void> {
  const month = monthOf(at);
  await engine.write(1, async (tx) => {
    await markMonth(tx, { month, clicks: 1, archiveSha256: null }, at);
    await markMonthRemoved(tx, month, at);
  });
}
