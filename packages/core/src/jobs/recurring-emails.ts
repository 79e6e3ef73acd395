import { DAY_MS, HOUR_MS, isoDate, utcDay } from '../domain/calendar.ts';
import { daysOfMonth, previousMonthOf } from '../emails/partner-month.ts';
import { queueEmail } from '../emails/queue-emails.ts';
import type { Runtime } from '../runtime.ts';
import {
  findProgramToSummarize,
  findWorkspaceToDigest,
  listPartnersToSummarize,
  lockSchedule,
  saveSchedule,
} from '../storage/accounts/email-schedules.ts';
import { listReviewers } from '../storage/accounts/members.ts';
import { listWaitingTasks } from '../storage/reads/waiting-tasks.ts';

const PARTNERS_PER_TURN = 100;
/**
 * Recurring emails are queued from this UTC hour on. At midnight, some sales of the previous evening are not reported
 * yet, so the emails would lack them.
 */
const FIRST_HOUR = 6;
/**
 * The number of days on which the recurring emails of a period can be queued. If the service did not run on the first
 * of these days, it queues them on a later day.
 */
const SUMMARY_DAYS = 7;
const DIGEST_DAYS = 2;
/** Day 0 of the epoch was a Thursday: day 3 of the week, if Monday is day 0. */
const EPOCH_WEEKDAY = 3;

/**
 * Stores up to 100 monthly summaries of one program. They are due from the 1st to the 7th of the next month.
 * @returns whether more summaries may be due
 */
export async function queueMonthlySummaries(runtime: Runtime): Promise<boolean> {
  const now = runtime.now() - FIRST_HOUR * HOUR_MS;
  if (new Date(now).getUTCDate() > SUMMARY_DAYS) return false;
  const month = previousMonthOf(now);
  const due = await findProgramToSummarize(runtime.engine.read, month);
  if (due === null) return false;
  const { ownerId: programId, workspaceId } = due;
  const owner = { kind: 'monthly_summary', ownerId: programId } as const;
  await runtime.engine.write(workspaceId, async (tx) => {
    const fromId = await lockSchedule(tx, owner, month);
    if (fromId === null) return;
    const range = { fromId, limit: PARTNERS_PER_TURN };
    const partners = await listPartnersToSummarize(tx.db, programId, daysOfMonth(month), range);
    for (const { id: partnerId, email } of partners.filter(({ isActive }) => isActive)) {
      await queueEmail(tx, runtime, {
        kind: 'monthly_summary',
        workspaceId,
        programId,
        recipient: email,
        data: { partnerId, month },
        dedupeKey: `monthly_summary:${programId}:${partnerId}:${month}`,
      });
    }
    const last = partners.length < PARTNERS_PER_TURN ? undefined : partners.at(-1);
    await saveSchedule(tx, owner, last === undefined ? null : last.id + 1);
  });
  return true;
}

/**
 * Stores the weekly digests of one workspace, on Monday or Tuesday. A workspace without open tasks gets no
 * digest.
 * @returns whether more digests may be due
 */
export async function queueReviewDigests(runtime: Runtime): Promise<boolean> {
  const today = utcDay(runtime.now() - FIRST_HOUR * HOUR_MS);
  const weekday = (today + EPOCH_WEEKDAY) % 7;
  if (weekday >= DIGEST_DAYS) return false;
  const monday = isoDate(today - weekday);
  const due = await findWorkspaceToDigest(runtime.engine.read, monday);
  if (due === null) return false;
  const { workspaceId } = due;
  const owner = { kind: 'review_digest', ownerId: workspaceId } as const;
  await runtime.engine.write(workspaceId, async (tx) => {
    if ((await lockSchedule(tx, owner, monday)) === null) return;
    const waiting = await listWaitingTasks(tx.db, workspaceId);
    const reviewers = waiting.length === 0 ? [] : await listReviewers(tx.db, workspaceId);
    for (const { userId, email } of reviewers) {
      await queueEmail(tx, runtime, {
        kind: 'review_digest',
        workspaceId,
        programId: null,
        recipient: email,
        data: null,
        dedupeKey: `review_digest:${workspaceId}:${userId}:${monday}`,
        expiresAt: runtime.now() + 2 * DAY_MS,
      });
    }
    await saveSchedule(tx, owner, null);
  });
  return true;
}
