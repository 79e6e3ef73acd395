import { BreakdownSums, type BreakdownTotal, DayRecount, type Dimension } from '../domain/breakdown.ts';
import type { DayRange } from '../domain/period.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Snapshot } from '../storage/database/engine/engine.ts';
import {
  type BreakdownEventIds,
  COUNTED_EVENT_KINDS,
  listBreakdownEventsOfDay,
  type StoredBreakdownEvent,
} from '../storage/reads/breakdown-events.ts';
import {
  type BreakdownSum,
  breakdownProgressKey,
  findBreakdownProgress,
  isBreakdownCaughtUp,
  listBreakdownDays,
  listBreakdownTotalsOfDay,
  lockBreakdownProgress,
  replaceBreakdownDay,
  sumBreakdown,
} from '../storage/reads/breakdowns.ts';
import { correctLinkClicks, findLinkClickDrift, type LinkClickDrift } from '../storage/reads/link-clicks.ts';
import { type CountedClicks, isDayCountable } from '../storage/tracking/removed-months.ts';
import { asOfCounts, readableUntil } from './as-of.ts';
import { checkLinkTotals, type LinkTotalDrift, rebuildLinkTotals } from './link-totals.ts';
import type { OnProgress } from './progress.ts';

/** Requires only the engine, so that a command line tool can run without a secret. */
type BreakdownRuntime = Pick<Runtime, 'engine'>;

const READ_BATCH_SIZE = 5_000;

/**
 * A stored total of a breakdown that differs from the sum of its events. For links, `value` is the id of the
 * link.
 */
export interface BreakdownDrift extends Omit<BreakdownTotal, 'total' | 'dimension' | 'measure'> {
  readonly dimension: Dimension | 'link' | LinkTotalDrift['dimension'];
  readonly measure: BreakdownTotal['measure'] | LinkTotalDrift['measure'];
  readonly recorded: number;
  readonly counted: number;
}

/**
 * The sums of a dimension. All events before `asOf` are counted; `asOf` is null while this time is unknown.
 */
export interface Breakdown {
  readonly sums: readonly BreakdownSum[];
  readonly asOf: number | null;
}

/** Reads a program's breakdown over a range of UTC days. */
export async function readBreakdown(
  runtime: Pick<Runtime, 'engine' | 'now'>,
  programId: number,
  dimension: Dimension,
  days: DayRange,
): Promise<Breakdown> {
  const { engine } = runtime;
  const at = readableUntil(runtime);
  const progress = await findBreakdownProgress(engine.read, breakdownProgressKey(engine.dialect, programId));
  const asOf = asOfCounts(at, await isBreakdownCaughtUp(engine, programId, progress), progress.asOf);
  // Read the sums last, so that they contain at least all events before `asOf`.
  return { sums: await sumBreakdown(engine.read, programId, dimension, days), asOf };
}

/**
 * Compares a program's breakdowns and the totals of its links with the events that they count. All reads use
 * one snapshot.
 *
 * @returns the totals that differ; empty when all are correct
 */
export function checkBreakdowns(
  { engine }: BreakdownRuntime,
  programId: number,
  onProgress: OnProgress = () => {},
  clicks: CountedClicks = 'complete_months',
): Promise<BreakdownDrift[]> {
  return engine.snapshot(async (db) => {
    const { ids } = await findBreakdownProgress(db, breakdownProgressKey(engine.dialect, programId));
    const drifts: BreakdownDrift[] = [];
    const days = await listBreakdownDays(db, programId, clicks);
    for (const [index, day] of days.entries()) {
      onProgress(index / days.length);
      drifts.push(...(await findBreakdownDrift({ dialect: engine.dialect, db }, programId, day, ids)));
    }
    const links = await findLinkClickDrift({ dialect: engine.dialect, db }, programId, clicks);
    const linkTotals = await checkLinkTotals({ dialect: engine.dialect, db }, programId, clicks);
    return [...drifts, ...links.map((drift) => ofLink(programId, drift)), ...linkTotals];
  });
}

/**
 * Recounts each day on which a breakdown is wrong, and replaces its totals. You can call it while the service
 * writes. Each day is recounted in one transaction. Meanwhile, the background job that updates the breakdowns does
 * not count events of the program. If a link's clicks are wrong, the clicks of all links are recounted.
 *
 * @returns the number of totals that were wrong
 */
export async function rebuildBreakdowns(
  { engine }: BreakdownRuntime,
  programId: number,
  onProgress: OnProgress = () => {},
  clicks: CountedClicks = 'complete_months',
): Promise<number> {
  const drifts = await checkBreakdowns({ engine }, programId, (checked) => onProgress(checked / 2), clicks);
  const key = breakdownProgressKey(engine.dialect, programId);
  const ofLinks = drifts.filter(({ dimension }) => dimension === 'link');
  const ofTotals = drifts.filter(({ dimension }) => dimension === 'link_total' || dimension === 'sub_id');
  const ofEvents = drifts.filter((drift) => !ofLinks.includes(drift) && !ofTotals.includes(drift));
  const days = [...new Set(ofEvents.map((drift) => drift.day))];
  for (const [index, day] of days.entries()) {
    onProgress((1 + index / days.length) / 2);
    await engine.write(
      SERVICE_LANE,
      async (tx) => {
        const progress = await lockBreakdownProgress(tx, key, true);
        if (!progress) throw new Error('The progress of the breakdowns was not locked');
        const recount = new DayRecount();
        await forEachEvent(tx, { programId, day, ids: progress.ids }, (event) => recount.add(event));
        // Check whether the day is complete after reading the events, not before. A month is marked as
        // incomplete before its clicks are removed. Therefore, if the day is still complete now, no click was
        // missing when the events were read.
        if (!(await isDayCountable(tx.db, day, clicks))) return;
        await replaceBreakdownDay(tx, { programId, day }, recount.totals());
      },
      () => [],
    );
  }
  for (const day of new Set(ofTotals.map((drift) => drift.day))) {
    await rebuildLinkTotals({ engine }, programId, day, clicks);
  }
  if (ofLinks.length > 0) {
    await engine.write(
      SERVICE_LANE,
      (tx) => correctLinkClicks(tx, programId, clicks),
      () => [],
    );
  }
  return drifts.length;
}

function ofLink(programId: number, { linkId, ...drift }: LinkClickDrift): BreakdownDrift {
  return { ...drift, programId, dimension: 'link', isOther: false, value: String(linkId), measure: 'clicks' };
}

async function findBreakdownDrift(
  snapshot: Snapshot,
  programId: number,
  day: number,
  ids: BreakdownEventIds,
): Promise<BreakdownDrift[]> {
  const stored = await listBreakdownTotalsOfDay(snapshot.db, programId, day);
  // Values with a stored row are counted separately. The row "other" must contain the sum of all remaining
  // values.
  const sums = new BreakdownSums(stored, () => 0);
  await forEachEvent(snapshot, { programId, day, ids }, (event) => sums.add(event));
  const recorded = new Map(stored.map((row) => [breakdownKeyOf(row), row]));
  const counted = new Map(sums.totals().map((row) => [breakdownKeyOf(row), row]));
  return [...new Map([...recorded, ...counted])].flatMap(([name, { total: _, ...row }]) => {
    const drift = {
      ...row,
      recorded: recorded.get(name)?.total ?? 0,
      counted: counted.get(name)?.total ?? 0,
    };
    return drift.recorded === drift.counted ? [] : [drift];
  });
}

function breakdownKeyOf({ dimension, isOther, measure, value }: BreakdownTotal): string {
  return JSON.stringify([dimension, isOther, measure, value]);
}

async function forEachEvent(
  snapshot: Snapshot,
  {
    programId,
    day,
    ids,
  }: { readonly programId: number; readonly day: number; readonly ids: BreakdownEventIds },
  visit: (event: StoredBreakdownEvent) => void,
): Promise<void> {
  for (const kind of COUNTED_EVENT_KINDS) {
    const range = { programId, day, upTo: ids[kind] };
    for (let last: StoredBreakdownEvent | null = null; ; ) {
      const batch: StoredBreakdownEvent[] = await listBreakdownEventsOfDay(
        snapshot,
        kind,
        range,
        last,
        READ_BATCH_SIZE,
      );
      for (const event of batch) visit(event);
      if (batch.length < READ_BATCH_SIZE) break;
      last = batch.at(-1) ?? null;
    }
  }
}
