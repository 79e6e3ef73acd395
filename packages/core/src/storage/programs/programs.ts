import type { WebhookEventType } from '@affkit/protocol';
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { AttributionModel } from '../../domain/attribution.ts';
import type { CommissionBase } from '../../domain/commission-base.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { lockRow } from '../database/lock-row.ts';
import { inlineTable } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import type { BrowserLeads, ClaimedKeys } from '../database/schema-programs.ts';
import { hasPendingPayment } from '../stripe/pending-payments.ts';
import { hasParkedRefund } from '../stripe/processor-charges.ts';
import { hasParkedDispute } from '../stripe/processor-disputes.ts';

/** A program. Only `findProgramOrDeleted` also returns deleted programs. */
export interface ProgramAccount {
  readonly id: number;
  readonly workspaceId: number;
  readonly name: string;
  readonly slug: string;
  readonly siteUrl: string;
  readonly status: 'draft' | 'live';
  readonly cookieWindowDays: number;
  readonly attributionModel: AttributionModel;
  readonly holdDays: number;
  readonly currency: string;
  readonly allowedOrigins: readonly string[];
  readonly cookieDomain: string | null;
  readonly browserLeads: BrowserLeads;
  readonly claimedKeys: ClaimedKeys;
  readonly requireOrigin: boolean;
  /** In the smallest unit of the sale's currency. */
  readonly minSaleCents: number;
  readonly commissionBase: CommissionBase;
  readonly apiTokenMasked: string;
  /** The event types to which at least one webhook endpoint of the program subscribes. */
  readonly webhookEvents: readonly WebhookEventType[];
  readonly createdAt: number;
}

/** The settings that an advertiser can change. */
export type ProgramSettings = Omit<
  ProgramAccount,
  'id' | 'workspaceId' | 'status' | 'apiTokenMasked' | 'webhookEvents' | 'createdAt'
>;

export async function findProgram(db: Kysely<Schema>, id: number): Promise<ProgramAccount | null> {
  const row = await selectPrograms(db).selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toProgramAccount(row) : null;
}

/** Finds a program, even if it has been deleted. */
export async function findProgramOrDeleted(db: Kysely<Schema>, id: number): Promise<ProgramAccount | null> {
  const row = await db.selectFrom('programs').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toProgramAccount(row) : null;
}

/** Finds a program by its slug. Slugs are unique in the whole service. */
export async function findProgramBySlug(db: Kysely<Schema>, slug: string): Promise<ProgramAccount | null> {
  const row = await selectPrograms(db).selectAll().where('slug', '=', slug).executeTakeFirst();
  return row ? toProgramAccount(row) : null;
}

/**
 * Takes a shared lock on a program, which prevents changes and deletion until the transaction ends.
 * @returns the current program, or null when it has been deleted
 */
export async function lockProgramShared(tx: Transaction, id: number): Promise<ProgramAccount | null> {
  return (await lockProgramsShared(tx, [id])).get(id) ?? null;
}

/** Takes shared locks on several programs. @returns the current programs by id, without deleted programs */
export async function lockProgramsShared(
  tx: Transaction,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ProgramAccount>> {
  const named = [...new Set(ids)].sort((a, b) => a - b).map((id) => ({ id }));
  const { rows } = await sql<Selectable<Schema['programs']>>`
    SELECT programs.* FROM ${inlineTable(tx, 'named', { id: 'integer' }, named)}
    JOIN programs ON programs.id = named.id WHERE programs.deleted_at IS NULL
    ORDER BY programs.id ${tx.dialect === 'postgres' ? sql`FOR SHARE OF programs` : sql``}`.execute(tx.db);
  return new Map(rows.map((row) => [row.id, toProgramAccount(row)]));
}

/** Finds a program by the SHA-256 hash of its tracking token, in hex. */
export async function findProgramByTokenHash(
  db: Kysely<Schema>,
  tokenHash: string,
): Promise<ProgramAccount | null> {
  // This query runs for each sale, lead and refund from a backend. Building it with Kysely would take
  // longer than running it.
  const { rows } = await sql<Selectable<Schema['programs']>>`
    SELECT programs.* FROM tracking_tokens JOIN programs ON programs.id = tracking_tokens.program_id
    WHERE tracking_tokens.token_hash = ${tokenHash} AND programs.deleted_at IS NULL`.execute(db);
  return rows[0] ? toProgramAccount(rows[0]) : null;
}

/** Finds the oldest program of a workspace. Deleted programs are ignored. */
export async function findFirstProgram(
  db: Kysely<Schema>,
  workspaceId: number,
): Promise<ProgramAccount | null> {
  const row = await selectPrograms(db)
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row ? toProgramAccount(row) : null;
}

/** Stores a program and its tracking token. @returns null when the slug is taken */
export async function insertProgram(
  tx: Transaction,
  program: Omit<ProgramAccount, 'id' | 'webhookEvents'>,
  tokenHash: string,
): Promise<ProgramAccount | null> {
  const row = await tx.db
    .insertInto('programs')
    .values({
      workspace_id: program.workspaceId,
      status: program.status,
      created_at: program.createdAt,
      deleted_at: null,
      api_token_masked: program.apiTokenMasked,
      ...toSettingColumns(program),
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  await tx.db.insertInto('program_shards').values({ program_id: row.id }).execute();
  await tx.db
    .insertInto('tracking_tokens')
    .values({ token_hash: tokenHash, program_id: row.id, created_at: program.createdAt })
    .execute();
  return toProgramAccount(row);
}

/**
 * Selects the programs of the workspaces. If `ids` is not null, a program must also have one of these ids.
 */
export interface ProgramFilter {
  readonly workspaceIds: readonly number[];
  readonly ids: readonly number[] | null;
}

/** Lists a page of programs, newest first. */
export async function listPrograms(
  db: Kysely<Schema>,
  selection: ProgramFilter,
  range: { readonly offset: number; readonly limit: number },
): Promise<{ programs: ProgramAccount[]; total: number }> {
  const { workspaceIds, ids } = selection;
  if (workspaceIds.length === 0 || ids?.length === 0) return { programs: [], total: 0 };
  const selected = selectPrograms(db)
    .where('workspace_id', 'in', workspaceIds)
    .$if(ids !== null, (query) => query.where('id', 'in', [...(ids ?? [])]));
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await selected
    .selectAll()
    .orderBy('id', 'desc')
    .limit(range.limit)
    .offset(range.offset)
    .execute();
  return { programs: rows.map(toProgramAccount), total };
}

/** Lists all programs, in any workspace. Deleted programs are ignored. */
export async function listAllPrograms(db: Kysely<Schema>): Promise<ProgramAccount[]> {
  const rows = await selectPrograms(db).selectAll().orderBy('id').execute();
  return rows.map(toProgramAccount);
}

/** Lists the ids of all programs, including deleted programs. */
export async function listProgramIds(db: Kysely<Schema>): Promise<number[]> {
  const rows = await db.selectFrom('programs').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

/** Lists all programs, including deleted programs, with their workspaces. */
export async function listWorkspacesOfPrograms(
  db: Kysely<Schema>,
): Promise<{ id: number; workspaceId: number }[]> {
  return await db
    .selectFrom('programs')
    .select(['id', 'workspace_id as workspaceId'])
    .orderBy('id')
    .execute();
}

/** Finds the workspace of a program, even if the program has been deleted. */
export async function findWorkspaceOfProgram(db: Kysely<Schema>, programId: number): Promise<number | null> {
  const row = await db
    .selectFrom('programs')
    .select('workspace_id')
    .where('id', '=', programId)
    .executeTakeFirst();
  return row?.workspace_id ?? null;
}

/** Counts the ids that belong to programs of the workspace. Deleted programs are not counted. */
export async function countPrograms(
  db: Kysely<Schema>,
  workspaceId: number,
  ids: readonly number[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const { total } = await selectPrograms(db)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow();
  return total;
}

/** Finds a program that has not been deleted, and locks its row until the transaction ends. */
export async function lockProgram(tx: Transaction, id: number): Promise<ProgramAccount | null> {
  await lockRow(tx, 'programs', id);
  return findProgram(tx.db, id);
}

/**
 * Changes a program.
 * @returns the changed program, or null when it has been deleted
 * @throws a unique violation when the slug is in use
 */
export async function updateProgram(
  tx: Transaction,
  id: number,
  change: Partial<ProgramSettings> & { readonly status?: 'live'; readonly apiTokenMasked?: string },
): Promise<ProgramAccount | null> {
  const { status, apiTokenMasked, ...settings } = change;
  const set = {
    ...toSettingColumns(settings),
    ...(status !== undefined && { status }),
    ...(apiTokenMasked !== undefined && { api_token_masked: apiTokenMasked }),
  };
  if (Object.keys(set).length === 0) return findProgram(tx.db, id);
  const row = await tx.db
    .updateTable('programs')
    .set(set)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return row ? toProgramAccount(row) : null;
}

/** Replaces the program's tracking token. The old token stops working immediately. */
export async function replaceTrackingToken(
  tx: Transaction,
  programId: number,
  tokenHash: string,
  at: number,
): Promise<void> {
  await tx.db
    .updateTable('tracking_tokens')
    .set({ token_hash: tokenHash, created_at: at })
    .where('program_id', '=', programId)
    .execute();
}

/** Marks a program as deleted. @returns false when the program was already deleted or does not exist */
export async function softDeleteProgram(tx: Transaction, id: number, at: number): Promise<boolean> {
  const row = await tx.db
    .updateTable('programs')
    .set({ deleted_at: at })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function hasRealSales(db: Kysely<Schema>, programId: number): Promise<boolean> {
  const row = await db
    .selectFrom('sales')
    .select('id')
    .where('program_id', '=', programId)
    .where('is_test', '=', 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Whether the program still has money to settle. This can be a nonzero balance, a pending payout, an outbox task that
 * may create a commission, or a parked payment, refund, or dispute.
 */
export async function hasUnsettledMoney(
  db: Kysely<Schema>,
  { id: programId, workspaceId }: Pick<ProgramAccount, 'id' | 'workspaceId'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('balances')
    .select('partner_id')
    .where('program_id', '=', programId)
    .where('balance_cents', '<>', 0)
    .limit(1)
    .executeTakeFirst();
  if (row) return true;
  const payout = await db
    .selectFrom('payouts')
    .select('id')
    .where('program_id', '=', programId)
    .where('status', '=', sql.lit('pending'))
    .limit(1)
    .executeTakeFirst();
  if (payout) return true;
  const owedCommission = await db
    .selectFrom('outbox')
    .select('id')
    .where('program_id', '=', programId)
    .where('kind', 'in', ['make_commission', 'decide_renewals'])
    .limit(1)
    .executeTakeFirst();
  return (
    owedCommission !== undefined ||
    (await hasPendingPayment(db, { programId, workspaceId })) ||
    (await hasParkedRefund(db, programId)) ||
    (await hasParkedDispute(db, programId))
  );
}

function selectPrograms(db: Kysely<Schema>) {
  return db.selectFrom('programs').where('deleted_at', 'is', null);
}

function toSettingColumns<T extends Partial<ProgramSettings>>(
  settings: T,
): T extends ProgramSettings ? SettingColumns : Partial<SettingColumns>;
function toSettingColumns(settings: Partial<ProgramSettings>): Partial<SettingColumns> {
  const columns = {
    name: settings.name,
    slug: settings.slug,
    site_url: settings.siteUrl,
    cookie_window_days: settings.cookieWindowDays,
    attribution_model: settings.attributionModel,
    hold_days: settings.holdDays,
    currency: settings.currency,
    allowed_origins: settings.allowedOrigins && JSON.stringify(settings.allowedOrigins),
    cookie_domain: settings.cookieDomain,
    browser_leads: settings.browserLeads,
    claimed_keys: settings.claimedKeys,
    require_origin: settings.requireOrigin === undefined ? undefined : settings.requireOrigin ? 1 : 0,
    min_sale_cents: settings.minSaleCents,
    commission_base: settings.commissionBase,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

type SettingColumns = Pick<
  Insertable<Schema['programs']>,
  | 'name'
  | 'slug'
  | 'site_url'
  | 'cookie_window_days'
  | 'attribution_model'
  | 'hold_days'
  | 'currency'
  | 'allowed_origins'
  | 'cookie_domain'
  | 'browser_leads'
  | 'claimed_keys'
  | 'require_origin'
  | 'min_sale_cents'
  | 'commission_base'
>;

function toProgramAccount(row: Selectable<Schema['programs']>): ProgramAccount {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    slug: row.slug,
    siteUrl: row.site_url,
    status: row.status,
    cookieWindowDays: row.cookie_window_days,
    attributionModel: row.attribution_model,
    holdDays: row.hold_days,
    currency: row.currency,
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    cookieDomain: row.cookie_domain,
    browserLeads: row.browser_leads,
    claimedKeys: row.claimed_keys,
    requireOrigin: row.require_origin === 1,
    minSaleCents: row.min_sale_cents,
    commissionBase: row.commission_base,
    apiTokenMasked: row.api_token_masked,
    webhookEvents: row.webhook_events === null ? [] : (JSON.parse(row.webhook_events) as WebhookEventType[]),
    createdAt: row.created_at,
  };
}
