import { type Kysely, type Selectable, sql } from 'kysely';
import type { Proposal } from '../../domain/payout-schedule.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

export type PayoutRunRow = Selectable<Schema['payout_runs']>;

/** A program with a payout schedule, and the month of its latest payout run. */
interface ScheduledProgram {
  readonly programId: number;
  readonly scheduleDay: number;
  readonly scheduledAt: number;
  readonly lastMonth: string | null;
}

/** Lists the programs that have a schedule, without deleted programs. */
export async function listScheduledPrograms(db: Kysely<Schema>): Promise<ScheduledProgram[]> {
  const rows = await db
    .selectFrom('payout_settings')
    .innerJoin('programs', 'programs.id', 'payout_settings.program_id')
    .select([
      'payout_settings.program_id',
      'schedule_day',
      'scheduled_at',
      sql<string | null>`(SELECT MAX(month) FROM payout_runs
        WHERE payout_runs.program_id = payout_settings.program_id)`.as('last_month'),
    ])
    .where('schedule_day', 'is not', null)
    .where('programs.deleted_at', 'is', null)
    .execute();
  return rows.map((row) => ({
    programId: row.program_id,
    scheduleDay: row.schedule_day ?? 1,
    scheduledAt: row.scheduled_at ?? 0,
    lastMonth: row.last_month,
  }));
}

/** Finds the latest proposals of the programs, by program id. */
export async function findLastProposals(
  db: Kysely<Schema>,
  programIds: readonly number[],
): Promise<ReadonlyMap<number, Proposal>> {
  const rows = await db
    .selectFrom('payout_runs')
    .select(({ fn }) => [
      'program_id',
      fn.max<string>('month').as('month'),
      fn.max<number>('created_at').as('created_at'),
    ])
    .where('program_id', 'in', idList(programIds))
    .groupBy('program_id')
    .execute();
  return new Map(rows.map((row) => [row.program_id, { month: row.month, at: row.created_at }]));
}

/** Adds a run for a month. @returns null when the program already has a run for this month */
export async function insertPayoutRun(
  tx: Transaction,
  run: Pick<PayoutRunRow, 'program_id' | 'month' | 'status' | 'totals' | 'created_at'>,
): Promise<PayoutRunRow | null> {
  const row = await tx.db
    .insertInto('payout_runs')
    .values({ ...run, decided_at: null, decided_by: null })
    .onConflict((conflict) => conflict.columns(['program_id', 'month']).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function findPayoutRun(
  db: Kysely<Schema>,
  programId: number,
  id: number,
): Promise<PayoutRunRow | null> {
  const row = await selectRuns(db, programId).selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Lists a page of the program's runs, newest first. */
export async function listPayoutRuns(
  db: Kysely<Schema>,
  programId: number,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ runs: PayoutRunRow[]; total: number }> {
  const { total } = await selectRuns(db, programId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const runs = await selectRuns(db, programId)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { runs, total };
}

/** Stores the decision about a run. @returns null when the run's current status is not in `from` */
export async function decidePayoutRun(
  tx: Transaction,
  run: Pick<PayoutRunRow, 'program_id' | 'id'>,
  from: readonly PayoutRunRow['status'][],
  decision: Pick<PayoutRunRow, 'status' | 'decided_at' | 'decided_by'>,
): Promise<PayoutRunRow | null> {
  const row = await tx.db
    .updateTable('payout_runs')
    .set(decision)
    .where('program_id', '=', run.program_id)
    .where('id', '=', run.id)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

function selectRuns(db: Kysely<Schema>, programId: number) {
  return db.selectFrom('payout_runs').where('program_id', '=', programId);
}
