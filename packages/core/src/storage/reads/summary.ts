import { type Kysely, sql } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import type { ProgramFilter } from '../programs/programs.ts';
import { WHOLE_PROGRAM } from '../tracking/total-owner.ts';

/** Totals of the selected programs over all time. Money is in the smallest unit of its currency. */
export interface Summary {
  readonly programs: number;
  readonly livePrograms: number;
  /** The number of approved enrollments. */
  readonly partners: number;
  readonly pendingPartners: number;
  readonly pendingCommissions: number;
  /** Sums of the daily totals, by measure. */
  readonly totals: ReadonlyMap<string, number>;
  readonly balances: readonly { readonly currency: string; readonly cents: number }[];
}

/**
 * Computes the summary. The cost depends on the number of programs, days, partners and pending commissions,
 * but not on the number of events.
 */
export async function findSummary(
  db: Kysely<Schema>,
  { workspaceIds, ids: selectedIds }: ProgramFilter,
): Promise<Summary> {
  const selected = db
    .selectFrom('programs')
    .where('workspace_id', 'in', idList(workspaceIds))
    .where('deleted_at', 'is', null)
    .$if(selectedIds !== null, (query) => query.where('id', 'in', idList(selectedIds ?? [])));
  const programIds = selected.select('id');
  const statuses = await selected
    .select((eb) => ['status', eb.fn.countAll<number>().as('total')])
    .groupBy('status')
    .execute();
  const enrollments = await db
    .selectFrom('partner_programs')
    .select((eb) => ['status', eb.fn.countAll<number>().as('total')])
    .where('program_id', 'in', programIds)
    .groupBy('status')
    .execute();
  const pending = await db
    .selectFrom('commissions')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('program_id', 'in', programIds)
    // The status must be a literal. With a parameter, the planner cannot use the partial index.
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirstOrThrow();
  const totals = await db
    .selectFrom('daily_totals')
    .select((eb) => ['measure', eb.fn.sum<number>('value').as('total')])
    .where('program_id', 'in', programIds)
    .where('partner_id', '=', WHOLE_PROGRAM)
    .groupBy('measure')
    .execute();
  const balances = await db
    .selectFrom('balances')
    .select((eb) => ['currency', eb.fn.sum<number>('balance_cents').as('cents')])
    .where('program_id', 'in', programIds)
    .groupBy('currency')
    .orderBy('currency')
    .execute();
  const enrolled = (status: string) => enrollments.find((row) => row.status === status)?.total ?? 0;
  return {
    programs: statuses.reduce((sum, row) => sum + row.total, 0),
    livePrograms: statuses.find((row) => row.status === 'live')?.total ?? 0,
    partners: enrolled('approved'),
    pendingPartners: enrolled('pending'),
    pendingCommissions: pending.total,
    totals: new Map(totals.map((row) => [row.measure, Number(row.total)])),
    balances: balances.map(({ currency, cents }) => ({ currency, cents: Number(cents) })),
  };
}
