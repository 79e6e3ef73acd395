import type { Kysely, Selectable } from 'kysely';
import { readShardsInOrder } from '../database/cluster/read-shards-in-order.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { lockRow } from '../database/lock-row.ts';
import type { Schema } from '../database/schema.ts';
import type { PartnerProgramStatus } from '../database/schema-programs.ts';

export interface Partner {
  readonly id: number;
  readonly workspaceId: number;
  readonly email: string;
  readonly name: string;
  /** The partner's user, or null while the partner has no user account. */
  readonly userId: number | null;
}

/** A partner and the partner's enrollment in a program. */
export interface EnrolledPartner extends Partner {
  readonly partnerProgramId: number;
  readonly programId: number;
  readonly status: PartnerProgramStatus;
  readonly statusReason: string | null;
  /** The minimum payout of this partner. If null, the program's minimum applies. */
  readonly minPayoutCents: number | null;
  /** Null for a partner who was invited. */
  readonly appliedAt: number | null;
  readonly enrolledAt: number;
}

/**
 * Finds the workspace's partner with the email address, or creates it. Concurrent calls return the same
 * partner.
 * @param partner the email address must be in lower case; the name is used only for a new partner
 */
export async function findOrInsertPartner(
  tx: Transaction,
  partner: { readonly workspaceId: number; readonly email: string; readonly name: string },
  at: number,
): Promise<Partner> {
  await tx.db
    .insertInto('partners')
    .values({
      workspace_id: partner.workspaceId,
      email: partner.email,
      name: partner.name,
      user_id: null,
      created_at: at,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'email']).doNothing())
    .execute();
  const row = await tx.db
    .selectFrom('partners')
    .selectAll()
    .where('workspace_id', '=', partner.workspaceId)
    .where('email', '=', partner.email)
    .executeTakeFirstOrThrow();
  return toPartner(row);
}

/**
 * Finds the partner that belongs to the user and is enrolled in the program, with any status.
 * @returns the partner's id
 */
export async function findPartnerOfUser(
  db: Kysely<Schema>,
  programId: number,
  userId: number,
): Promise<number | null> {
  const row = await db
    .selectFrom('partner_programs')
    .innerJoin('partners', 'partners.id', 'partner_programs.partner_id')
    .select('partners.id')
    .where('partner_programs.program_id', '=', programId)
    .where('partners.user_id', '=', userId)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Finds a partner in any workspace. */
export async function findPartnerById(db: Kysely<Schema>, id: number): Promise<Partner | null> {
  const row = await db.selectFrom('partners').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toPartner(row) : null;
}

/** Lists the given partners that have a valid invitation but no account. */
export async function listInvitedPartners(
  db: Kysely<Schema>,
  partnerIds: readonly number[],
  now: number,
): Promise<Partner[]> {
  const rows = await db
    .selectFrom('partners')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('invites')
        .select('partner_id')
        .where('partner_id', 'in', idList(partnerIds))
        .where('expires_at', '>', now)
        .$castTo<{ partner_id: number }>(),
    )
    .where('user_id', 'is', null)
    .execute();
  return rows.map(toPartner);
}

/** Prevents other transactions from changing the partner until this transaction ends. */
export async function lockPartner(tx: Transaction, id: number): Promise<void> {
  await lockRow(tx, 'partners', id);
}

/** Locks several partners like `lockPartner`, in the order of their ids, so that there is no deadlock. */
export async function lockPartners(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (tx.dialect !== 'postgres') return;
  const partners = tx.db.selectFrom('partners').select('id').where('id', 'in', idList(ids));
  await partners.orderBy('id').forNoKeyUpdate().execute();
}

/** Links a partner to a user, unless the partner already has a user. */
export async function linkPartner(tx: Transaction, id: number, userId: number): Promise<void> {
  await tx.db
    .updateTable('partners')
    .set({ user_id: userId })
    .where('id', '=', id)
    .where('user_id', 'is', null)
    .execute();
}

/** Enrolls a partner in a program. @returns false when the partner is already enrolled, with any status */
export async function insertEnrollment(
  tx: Transaction,
  enrollment: {
    readonly programId: number;
    readonly partnerId: number;
    readonly status: PartnerProgramStatus;
  },
  at: number,
): Promise<boolean> {
  const row = await tx.db
    .insertInto('partner_programs')
    .values({
      program_id: enrollment.programId,
      partner_id: enrollment.partnerId,
      status: enrollment.status,
      created_at: at,
    })
    .onConflict((conflict) => conflict.columns(['program_id', 'partner_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function findEnrolledPartner(
  db: Kysely<Schema>,
  programId: number,
  partnerId: number,
): Promise<EnrolledPartner | null> {
  const row = await selectEnrolledPartners(db, programId)
    .where('partners.id', '=', partnerId)
    .executeTakeFirst();
  return row ? toEnrolled(row) : null;
}

/** Finds a partner of the program by the email address, which must be in lower case. */
export async function findEnrolledPartnerByEmail(
  db: Kysely<Schema>,
  program: { readonly id: number; readonly workspaceId: number },
  email: string,
): Promise<EnrolledPartner | null> {
  const row = await selectEnrolledPartners(db, program.id)
    .where('partners.workspace_id', '=', program.workspaceId)
    .where('partners.email', '=', email)
    .executeTakeFirst();
  return row ? toEnrolled(row) : null;
}

/**
 * Loads the enrollment statuses in the program, by partner id. Partners who are not enrolled are missing in
 * the result.
 * @param partnerIds null selects all partners
 */
export async function findEnrollmentStatuses(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[] | null,
): Promise<ReadonlyMap<number, PartnerProgramStatus>> {
  const rows = await db
    .selectFrom('partner_programs')
    .select(['partner_id', 'status'])
    .where('program_id', '=', programId)
    .$if(partnerIds !== null, (query) => query.where('partner_id', 'in', idList(partnerIds ?? [])))
    .execute();
  return new Map(rows.map((row) => [row.partner_id, row.status]));
}

/** Counts the partners of the program that wait for a decision. */
export async function countPendingPartners(db: Kysely<Schema>, programId: number): Promise<number> {
  const { total } = await db
    .selectFrom('partner_programs')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('program_id', '=', programId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return total;
}

/** Lists the names and email addresses of partners of the program. @param partnerIds null selects all */
export async function listPartnerContacts(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[] | null,
): Promise<Pick<Partner, 'id' | 'name' | 'email'>[]> {
  return await db
    .selectFrom('partner_programs')
    .innerJoin('partners', 'partners.id', 'partner_programs.partner_id')
    .select(['partners.id', 'partners.name', 'partners.email'])
    .where('partner_programs.program_id', '=', programId)
    .$if(partnerIds !== null, (query) => query.where('partners.id', 'in', idList(partnerIds ?? [])))
    .execute();
}

/**
 * Locks the enrollment until the transaction ends. Meanwhile, its status cannot change, and no payout to the
 * partner can be created.
 * @returns the partner's status in the program
 */
export async function lockEnrollment(
  tx: Transaction,
  programId: number,
  partnerId: number,
): Promise<PartnerProgramStatus | null> {
  const row = await tx.db
    .selectFrom('partner_programs')
    .select('status')
    .where('program_id', '=', programId)
    .where('partner_id', '=', partnerId)
    .$if(tx.dialect === 'postgres', (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return row?.status ?? null;
}

/**
 * Lists the ids of the programs in which a partner is enrolled with any status.
 * @param programs `all` includes deleted programs
 */
export async function listProgramsOfPartner(
  tx: Transaction,
  partnerId: number,
  programs: 'existing' | 'all' = 'existing',
): Promise<number[]> {
  await readShardsInOrder(tx);
  const rows = await tx.db
    .selectFrom('partner_programs')
    .innerJoin('programs', 'programs.id', 'partner_programs.program_id')
    .select('partner_programs.program_id')
    .where('partner_programs.partner_id', '=', partnerId)
    .$if(programs === 'existing', (query) => query.where('programs.deleted_at', 'is', null))
    .execute();
  return rows.map((row) => row.program_id);
}

/** Lists the enrollments with these ids, in the order of the ids. */
export async function listEnrollments(
  db: Kysely<Schema>,
  programId: number,
  ids: readonly number[],
): Promise<EnrolledPartner[]> {
  const rows = await selectEnrolledPartners(db, programId)
    .where('partner_programs.id', 'in', idList(ids))
    .execute();
  const byId = new Map(rows.map((row) => [row.partner_program_id, toEnrolled(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Adds partner names to the rows of a list. */
export async function withPartnerNames<Row extends { readonly partner_id: number | null }>(
  db: Kysely<Schema>,
  rows: readonly Row[],
): Promise<(Row & { readonly partner_name: string | null })[]> {
  const names = await findPartnerNames(
    db,
    rows.flatMap(({ partner_id }) => partner_id ?? []),
  );
  return rows.map((row) => ({
    ...row,
    partner_name: row.partner_id === null ? null : (names.get(row.partner_id) ?? null),
  }));
}

/** Loads the names of partners, by id. */
export async function findPartnerNames(
  db: Kysely<Schema>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('partners')
    .select(['id', 'name'])
    .where('id', 'in', idList(ids))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * Changes the name or email address of a partner. The change applies to all programs.
 * @throws a unique violation when the email address is in use
 */
export async function updatePartner(
  tx: Transaction,
  partner: Pick<Partner, 'workspaceId' | 'id'>,
  change: { readonly name?: string; readonly email?: string },
): Promise<void> {
  await tx.db
    .updateTable('partners')
    .set(change)
    .where('workspace_id', '=', partner.workspaceId)
    .where('id', '=', partner.id)
    .execute();
}

export async function updateEnrollment(
  tx: Transaction,
  enrollment: Pick<EnrolledPartner, 'programId' | 'partnerProgramId'>,
  change: {
    readonly status: PartnerProgramStatus;
    readonly status_reason: string | null;
    readonly min_payout_cents: number | null;
  },
): Promise<void> {
  await tx.db
    .updateTable('partner_programs')
    .set(change)
    .where('program_id', '=', enrollment.programId)
    .where('id', '=', enrollment.partnerProgramId)
    .execute();
}

function selectEnrolledPartners(db: Kysely<Schema>, programId: number) {
  return db
    .selectFrom('partner_programs')
    .innerJoin('partners', 'partners.id', 'partner_programs.partner_id')
    .leftJoin('applications', (join) =>
      join
        .onRef('applications.program_id', '=', 'partner_programs.program_id')
        .onRef('applications.partner_id', '=', 'partner_programs.partner_id'),
    )
    .select([
      'partners.id',
      'partners.workspace_id',
      'partners.email',
      'partners.name',
      'partners.user_id',
      'partner_programs.id as partner_program_id',
      'partner_programs.program_id',
      'partner_programs.status',
      'partner_programs.status_reason',
      'partner_programs.min_payout_cents',
      'partner_programs.created_at',
      'applications.applied_at',
    ])
    .where('partner_programs.program_id', '=', programId);
}

function toPartner(row: Omit<Selectable<Schema['partners']>, 'created_at'>): Partner {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    email: row.email,
    name: row.name,
    userId: row.user_id,
  };
}

type EnrolledRow = Awaited<ReturnType<ReturnType<typeof selectEnrolledPartners>['executeTakeFirstOrThrow']>>;

function toEnrolled(row: EnrolledRow): EnrolledPartner {
  return {
    ...toPartner(row),
    partnerProgramId: row.partner_program_id,
    programId: row.program_id,
    status: row.status,
    statusReason: row.status_reason,
    minPayoutCents: row.min_payout_cents,
    appliedAt: row.applied_at,
    enrolledAt: row.created_at,
  };
}
