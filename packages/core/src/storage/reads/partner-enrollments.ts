import type { Kysely } from 'kysely';
import type { CommissionBase } from '../../domain/commission-base.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import type { PartnerProgramStatus } from '../database/schema-programs.ts';

/** An enrollment, with the fields of its program that the partner may see. */
export interface PartnerEnrollment {
  readonly partnerProgramId: number;
  readonly partnerId: number;
  readonly status: PartnerProgramStatus;
  readonly statusReason: string | null;
  readonly createdAt: number;
  /** The partner's minimum payout. If the partner has none, this is the program's minimum. */
  readonly minPayoutCents: number | null;
  readonly program: {
    readonly id: number;
    readonly name: string;
    readonly slug: string;
    readonly siteUrl: string;
    readonly currency: string;
    readonly cookieWindowDays: number;
    readonly holdDays: number;
    readonly commissionBase: CommissionBase;
    readonly isDeleted: boolean;
    /** The day of the month on which payouts are proposed. */
    readonly payoutDay: number | null;
  };
}

/**
 * Lists the partners' enrollments with any status, oldest first.
 * @param programs `all` includes enrollments in deleted programs, but not in programs whose import has not finished
 */
export async function listPartnerEnrollments(
  db: Kysely<Schema>,
  partnerIds: readonly number[],
  programs: 'existing' | 'all' = 'existing',
): Promise<PartnerEnrollment[]> {
  const rows = await selectEnrollments(db, partnerIds)
    .innerJoin('programs', 'programs.id', 'partner_programs.program_id')
    .leftJoin('payout_settings', 'payout_settings.program_id', 'programs.id')
    .select([
      'partner_programs.id',
      'partner_programs.partner_id',
      'partner_programs.status',
      'partner_programs.status_reason',
      'partner_programs.created_at',
      'partner_programs.min_payout_cents',
      'payout_settings.min_payout_cents as program_min_cents',
      'payout_settings.schedule_day',
      'partner_programs.program_id',
      'programs.name',
      'programs.slug',
      'programs.site_url',
      'programs.currency',
      'programs.cookie_window_days',
      'programs.hold_days',
      'programs.commission_base',
      'programs.deleted_at',
    ])
    .$if(programs === 'existing', (query) => query.where('programs.deleted_at', 'is', null))
    .orderBy('partner_programs.id')
    .execute();
  const hidden = programs === 'existing' ? [] : await listUnfinishedPrograms(db);
  const shown = rows.filter((row) => !hidden.includes(row.program_id));
  return shown.map((row) => ({
    partnerProgramId: row.id,
    partnerId: row.partner_id,
    status: row.status,
    statusReason: row.status_reason,
    createdAt: row.created_at,
    minPayoutCents: row.min_payout_cents ?? row.program_min_cents,
    program: {
      id: row.program_id,
      name: row.name,
      slug: row.slug,
      siteUrl: row.site_url,
      currency: row.currency,
      cookieWindowDays: row.cookie_window_days,
      holdDays: row.hold_days,
      commissionBase: row.commission_base,
      isDeleted: row.deleted_at !== null,
      payoutDay: row.schedule_day,
    },
  }));
}

/**
 * Lists the programs in which the partners are enrolled. Deleted programs are included, because the partners
 * keep their earnings. Programs whose import has not finished are left out.
 */
export async function listPartnerProgramIds(
  db: Kysely<Schema>,
  partnerIds: readonly number[],
): Promise<number[]> {
  const rows = await selectEnrollments(db, partnerIds).select('program_id').distinct().execute();
  const hidden = await listUnfinishedPrograms(db);
  return rows.map((row) => row.program_id).filter((id) => !hidden.includes(id));
}

function selectEnrollments(db: Kysely<Schema>, partnerIds: readonly number[]) {
  return db.selectFrom('partner_programs').where('partner_id', 'in', idList(partnerIds));
}

/** Lists the programs whose import has begun but not finished. Their rows are incomplete. */
async function listUnfinishedPrograms(db: Kysely<Schema>): Promise<number[]> {
  const rows = await db
    .selectFrom('program_imports')
    .select('program_id')
    .where('finished_at', 'is', null)
    .execute();
  return rows.map((row) => row.program_id);
}
