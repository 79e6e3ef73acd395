import {
  type LinkMeasure,
  LinkSums,
  type LinkTotal,
  linkTotalKey,
  WHOLE_LINK,
} from '../domain/link-totals.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Snapshot } from '../storage/database/engine/engine.ts';
import { breakdownProgressKey } from '../storage/reads/breakdowns.ts';
import { type LinkEventIds, sumLinkEventsOfDay } from '../storage/reads/link-events.ts';
import {
  findLinkTotalProgress,
  isLinkTotalCaughtUp,
  listLinkTotalDays,
  listLinkTotalsOfDay,
  listStoredSubIds,
  lockLinkTotalProgress,
  replaceLinkTotalsOfDay,
} from '../storage/reads/link-totals.ts';
import { type CountedClicks, isDayCountable } from '../storage/tracking/removed-months.ts';
import { asOfCounts, readableUntil } from './as-of.ts';

/** A stored total of a link or sub-id that differs from the sum of its events. */
export interface LinkTotalDrift {
  readonly programId: number;
  readonly day: number;
  /**
   * `link_total` for a whole link: `value` is the id of the link. `sub_id` for a sub-id: `value` is `<link
   * id>:<sub-id>`.
   */
  readonly dimension: 'link_total' | 'sub_id';
  readonly isOther: boolean;
  readonly value: string;
  readonly measure: LinkMeasure;
  readonly recorded: number;
  readonly counted: number;
}

/** Finds the time before which all events of the program are counted, or null while this time is unknown. */
export async function findLinkTotalsAsOf(
  runtime: Pick<Runtime, 'engine' | 'now'>,
  programId: number,
): Promise<number | null> {
  const { engine } = runtime;
  const at = readableUntil(runtime);
  const progress = await findLinkTotalProgress(engine.read, breakdownProgressKey(engine.dialect, programId));
  return asOfCounts(at, await isLinkTotalCaughtUp(engine, programId, progress), progress.asOf);
}

/**
 * Compares the totals of a program's links and sub-ids with the events that they count. All reads use one
 * snapshot.
 */
export async function checkLinkTotals(
  snapshot: Snapshot,
  programId: number,
  clicks: CountedClicks,
): Promise<LinkTotalDrift[]> {
  const { ids } = await findLinkTotalProgress(snapshot.db, breakdownProgressKey(snapshot.dialect, programId));
  const drifts: LinkTotalDrift[] = [];
  for (const day of await listLinkTotalDays(snapshot.db, programId, clicks)) {
    const stored = await listLinkTotalsOfDay(snapshot.db, programId, day);
    // Only sub-ids that have a stored row are counted separately. All other sub-ids are summed up in one row.
    const sums = new LinkSums(
      stored.map((row) => ({ ...row, partnerId: 0 })),
      { perLink: 0, perPartner: 0, perProgram: 0, reservedPerPartner: 0 },
    );
    const counted = await countDay(snapshot, { programId, day, ids }, sums);
    drifts.push(...differencesOf(stored, counted));
  }
  return drifts;
}

/**
 * Replaces the totals of a day with new sums of its events. Sub-ids with a stored row keep a row of their own. Other
 * sub-ids of a link get one too, up to the limits of the background job, unless the link has a shared row already.
 * Meanwhile, the background job that updates the totals does not count events of the program.
 */
export function rebuildLinkTotals(
  { engine }: Pick<Runtime, 'engine'>,
  programId: number,
  day: number,
  clicks: CountedClicks,
): Promise<void> {
  return engine.write(
    SERVICE_LANE,
    async (tx) => {
      const progress = await lockLinkTotalProgress(tx, breakdownProgressKey(tx.dialect, programId), true);
      if (!progress) throw new Error('The progress of the link totals was not locked');
      const sums = new LinkSums(await listStoredSubIds(tx, [{ programId, day }]));
      const counted = await countDay(tx, { programId, day, ids: progress.ids }, sums);
      // Check this after reading the events, not before. The removal of old clicks marks a month as incomplete before
      // it deletes clicks. If the day is complete now, the events above include every click.
      if (!(await isDayCountable(tx.db, day, clicks))) return;
      await replaceLinkTotalsOfDay(tx, { programId, day }, counted);
    },
    () => [],
  );
}

async function countDay(
  snapshot: Snapshot,
  { programId, day, ids }: { readonly programId: number; readonly day: number; readonly ids: LinkEventIds },
  sums: LinkSums,
): Promise<LinkTotal[]> {
  for (const events of await sumLinkEventsOfDay(snapshot, programId, day, ids)) sums.add(events);
  return sums.totals();
}

function differencesOf(stored: readonly LinkTotal[], counted: readonly LinkTotal[]): LinkTotalDrift[] {
  const before = new Map(stored.map((row) => [linkTotalKey(row), row]));
  const after = new Map(counted.map((row) => [linkTotalKey(row), row]));
  return [...new Map([...before, ...after])].flatMap(([key, row]) => {
    const recorded = before.get(key)?.total ?? 0;
    const sum = after.get(key)?.total ?? 0;
    if (recorded === sum) return [];
    const { programId, day, linkId, kind, subId, measure } = row;
    return {
      programId,
      day,
      dimension: kind === WHOLE_LINK ? ('link_total' as const) : ('sub_id' as const),
      isOther: kind !== WHOLE_LINK && subId === '',
      value: kind === WHOLE_LINK ? String(linkId) : `${linkId}:${subId}`,
      measure,
      recorded,
      counted: sum,
    };
  });
}
