import { type Kysely, sql } from 'kysely';
import type { DayRange } from '../../domain/period.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { EmailScheduleTable } from '../database/schema-accounts.ts';

type RecurringKind = EmailScheduleTable['kind'];

/** The value of `next_id` when every email of the period is stored. */
const DONE = -1;

/** The program or workspace whose recurring emails are due. */
interface DueOwner {
  readonly ownerId: number;
  readonly workspaceId: number;
}

/** Finds a program for which some summary emails of the month are not stored yet. */
export async function findProgramToSummarize(db: Kysely<Schema>, period: string): Promise<DueOwner | null> {
  const row = await db
    .selectFrom('programs')
    .leftJoin('email_schedules as schedule', (join) =>
      join
        .onRef('schedule.owner_id', '=', 'programs.id')
        .on('schedule.kind', '=', sql.lit<RecurringKind>('monthly_summary')),
    )
    .select(['programs.id as ownerId', 'programs.workspace_id as workspaceId'])
    .where('programs.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('schedule.period', 'is', null),
        eb('schedule.period', '<', period),
        // Skip a later period, which was started while the clock was ahead. It continues when that period is due.
        eb.and([eb('schedule.period', '=', period), eb('schedule.next_id', '<>', DONE)]),
      ]),
    )
    .orderBy('programs.id')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Finds a workspace for which some digest emails of the week are not stored yet. */
export async function findWorkspaceToDigest(db: Kysely<Schema>, period: string): Promise<DueOwner | null> {
  const row = await db
    .selectFrom('workspaces')
    .leftJoin('email_schedules as schedule', (join) =>
      join
        .onRef('schedule.owner_id', '=', 'workspaces.id')
        .on('schedule.kind', '=', sql.lit<RecurringKind>('review_digest')),
    )
    .select(['workspaces.id as ownerId', 'workspaces.id as workspaceId'])
    .where((eb) => eb.or([eb('schedule.period', 'is', null), eb('schedule.period', '<', period)]))
    .orderBy('workspaces.id')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Starts a new period, or continues the current one, and locks the schedule until the transaction ends.
 * @returns the id to continue with, or null when all emails of the period are stored
 */
export async function lockSchedule(
  tx: Transaction,
  owner: { readonly kind: RecurringKind; readonly ownerId: number },
  period: string,
): Promise<number | null> {
  await tx.db
    .insertInto('email_schedules')
    .values({ kind: owner.kind, owner_id: owner.ownerId, period, next_id: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'owner_id'])
        .doUpdateSet({ period, next_id: 0 })
        .where('email_schedules.period', '<', period),
    )
    .execute();
  const row = await tx.db
    .selectFrom('email_schedules')
    .select(['next_id', 'period'])
    .where('kind', '=', owner.kind)
    .where('owner_id', '=', owner.ownerId)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return row.period !== period || row.next_id === DONE ? null : row.next_id;
}

/** @param nextId the id to continue with, or null when all emails of the period are stored */
export async function saveSchedule(
  tx: Transaction,
  owner: { readonly kind: RecurringKind; readonly ownerId: number },
  nextId: number | null,
): Promise<void> {
  await tx.db
    .updateTable('email_schedules')
    .set({ next_id: nextId ?? DONE })
    .where('kind', '=', owner.kind)
    .where('owner_id', '=', owner.ownerId)
    .execute();
}

/**
 * Lists approved partners in the order of their ids, starting with `fromId`. `isActive` says whether the
 * partner had clicks, leads, sales, or commissions on these days.
 */
export async function listPartnersToSummarize(
  db: Kysely<Schema>,
  programId: number,
  days: DayRange,
  { fromId, limit }: { readonly fromId: number; readonly limit: number },
): Promise<{ id: number; email: string; isActive: boolean }[]> {
  const rows = await db
    .selectFrom('partner_programs')
    .innerJoin('partners', 'partners.id', 'partner_programs.partner_id')
    .select((eb) => [
      'partners.id',
      'partners.email',
      eb
        .selectFrom('daily_totals')
        .select('daily_totals.day')
        .whereRef('daily_totals.partner_id', '=', 'partners.id')
        .where('daily_totals.program_id', '=', programId)
        .where('daily_totals.day', '>=', days.from)
        .where('daily_totals.day', '<=', days.to)
        .limit(1)
        .as('day'),
    ])
    .where('partner_programs.program_id', '=', programId)
    .where('partner_programs.status', '=', 'approved')
    .where('partners.id', '>=', fromId)
    .orderBy('partners.id')
    .limit(limit)
    .execute();
  return rows.map(({ id, email, day }) => ({ id, email, isActive: day !== null }));
}
