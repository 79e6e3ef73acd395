import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database/schema.ts';

/** The state of a program's integration, and whether it still receives events. */
export interface ProgramHealth {
  readonly hasTest: PerType<boolean>;
  /** The time of the latest real event, or null when there is none. */
  readonly lastAt: PerType<number | null>;
  /** The number of real events since `since`. */
  readonly recent: PerType<number>;
  readonly approvedPartners: number;
  readonly pendingCommissions: number;
}

interface PerType<T> {
  readonly click: T;
  readonly lead: T;
  readonly sale: T;
}

export async function findProgramHealth(
  db: Kysely<Schema>,
  programId: number,
  since: number,
): Promise<ProgramHealth> {
  const [click, lead, sale] = await Promise.all([
    findEventHealth(db, programId, 'click_events', 'click_at', since),
    findEventHealth(db, programId, 'lead_events', 'lead_at', since),
    findEventHealth(db, programId, 'sales', 'sale_at', since),
  ]);
  const partners = await db
    .selectFrom('partner_programs')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('program_id', '=', programId)
    .where('status', '=', 'approved')
    .executeTakeFirstOrThrow();
  const pending = await db
    .selectFrom('commissions')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('program_id', '=', programId)
    // The status must be a literal. With a parameter, the planner cannot use the partial index.
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirstOrThrow();
  return {
    hasTest: { click: click.hasTest, lead: lead.hasTest, sale: sale.hasTest },
    lastAt: { click: click.lastAt, lead: lead.lastAt, sale: sale.lastAt },
    recent: { click: click.recent, lead: lead.recent, sale: sale.recent },
    approvedPartners: partners.total,
    pendingCommissions: pending.total,
  };
}

async function findEventHealth(
  db: Kysely<Schema>,
  programId: number,
  table: 'click_events' | 'lead_events' | 'sales',
  at: 'click_at' | 'lead_at' | 'sale_at',
  since: number,
): Promise<{ hasTest: boolean; lastAt: number | null; recent: number }> {
  const time = sql<number>`${sql.ref(at)}`;
  const events = db.selectFrom(table).where('program_id', '=', programId);
  const test = await events.select('id').where('is_test', '=', 1).limit(1).executeTakeFirst();
  const real = events.where('is_test', '=', 0);
  const last = await real.select(time.as('at')).orderBy(time, 'desc').limit(1).executeTakeFirst();
  const { total } = await real
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(time, '>=', since)
    .executeTakeFirstOrThrow();
  return { hasTest: test !== undefined, lastAt: last?.at ?? null, recent: total };
}
