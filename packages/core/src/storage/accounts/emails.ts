import type { EmailKind } from '@affkit/protocol';
import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import type { EmailStatus } from '../database/schema-accounts.ts';
import { containsText } from '../database/text-search.ts';

export type EmailRow = Selectable<Schema['emails']>;

/** An email in the list of a workspace. */
export interface ListedEmail extends EmailRow {
  /** Whether the members of the workspace may see the recipient. */
  readonly has_known_recipient: boolean;
}

/** A new email, before it is stored. */
export interface NewEmail {
  /**
   * A random key. It is part of the `Message-ID`. Decrypting `sealedToken` requires this key and the service's
   * secret.
   */
  readonly messageKey: string;
  readonly kind: EmailKind;
  readonly workspaceId: number | null;
  readonly programId: number | null;
  readonly recipient: string;
  readonly sealedToken: string | null;
  /** The time after which the email is no longer sent. */
  readonly expiresAt: number;
  readonly at: number;
  /** The time from which the email may be sent. @default `at` */
  readonly runAt?: number;
  /** The content of the email, as JSON. */
  readonly data?: string;
  /** Unique in the whole service. A second email with the same key is not stored. */
  readonly dedupeKey?: string;
}

/**
 * Stores an email. Does nothing if an email with the same `dedupeKey` exists. A password reset is also not stored if
 * another reset for the recipient is queued.
 * @returns the id of the stored email, or null if the email was not stored
 */
export async function insertEmail(tx: Transaction, email: NewEmail): Promise<number | null> {
  const row = await tx.db
    .insertInto('emails')
    .values({
      message_key: email.messageKey,
      kind: email.kind,
      workspace_id: email.workspaceId,
      program_id: email.programId,
      recipient: email.recipient,
      sealed_token: email.sealedToken,
      status: 'queued',
      attempts: 0,
      run_at: email.runAt ?? email.at,
      expires_at: email.expiresAt,
      created_at: email.at,
      data: email.data ?? null,
      dedupe_key: email.dedupeKey ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function findEmail(db: Kysely<Schema>, id: number): Promise<EmailRow> {
  return await db.selectFrom('emails').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/**
 * Lists the ids of due emails. Emails that expire first come first. If the list were sorted by id, a password reset
 * would have to wait for all invitations of an import.
 */
export async function findDueEmails(db: Kysely<Schema>, now: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('emails')
    .select('id')
    .where('status', '=', 'queued')
    .where('run_at', '<=', now)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Leases a due email to the caller until `leasedUntil`, and counts the attempt.
 * @returns null when another process has leased the email, or the email is finished
 */
export async function claimEmail(
  tx: Transaction,
  id: number,
  { now, leasedUntil }: { readonly now: number; readonly leasedUntil: number },
): Promise<EmailRow | null> {
  const row = await tx.db
    .updateTable('emails')
    .set((eb) => ({ run_at: leasedUntil, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('run_at', '<=', now)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Stores a token that the first attempt to send the email created, so that later attempts send it again. */
export async function setEmailToken(
  tx: Transaction,
  id: number,
  token: { readonly sealedToken: string; readonly expiresAt: number },
): Promise<void> {
  await tx.db
    .updateTable('emails')
    .set({ sealed_token: token.sealedToken, expires_at: token.expiresAt })
    .where('id', '=', id)
    .execute();
}

/**
 * Records the result of an attempt and deletes the token. Does nothing if the lease has expired and another
 * process has made another attempt.
 */
export async function finishEmail(
  tx: Transaction,
  { id, attempts }: Pick<EmailRow, 'id' | 'attempts'>,
  result: {
    readonly status: Exclude<EmailStatus, 'queued'>;
    readonly error: string | null;
    readonly at: number;
  },
): Promise<void> {
  await tx.db
    .updateTable('emails')
    .set({ status: result.status, last_error: result.error, finished_at: result.at, sealed_token: null })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('status', '=', 'queued')
    .execute();
}

/** Schedules the next attempt, unless another process has made another attempt. */
export async function postponeEmail(
  tx: Transaction,
  { id, attempts }: Pick<EmailRow, 'id' | 'attempts'>,
  { runAt, error }: { readonly runAt: number; readonly error: string },
): Promise<void> {
  await tx.db
    .updateTable('emails')
    .set({ run_at: runAt, last_error: error })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('status', '=', 'queued')
    .execute();
}

/**
 * Deletes queued emails with a password reset link of the user. Call it before the codes in these links are deleted. A
 * later attempt would send a link that no longer works, and meanwhile, no other link could be requested.
 */
export async function deleteQueuedResetLinks(tx: Transaction, userId: number): Promise<void> {
  await tx.db
    .deleteFrom('emails')
    .where('kind', '=', 'password_reset')
    .where('status', '=', 'queued')
    .where('sealed_token', 'is not', null)
    .where('recipient', '=', (eb) => eb.selectFrom('users').select('email').where('id', '=', userId))
    .execute();
}

export async function deleteEmail(tx: Transaction, id: number): Promise<void> {
  await tx.db.deleteFrom('emails').where('id', '=', id).execute();
}

/** Counts the recipient's emails of these kinds that were stored after `since`. */
export async function countEmails(
  db: Kysely<Schema>,
  {
    recipient,
    kinds,
    since,
    beforeId,
    workspaceId,
  }: {
    readonly recipient: string;
    readonly kinds: readonly EmailKind[];
    readonly since: number;
    /** Counts only emails with a lower id. */
    readonly beforeId?: number;
    /** Counts only emails of this workspace. */
    readonly workspaceId?: number;
  },
): Promise<number> {
  const { total } = await db
    .selectFrom('emails')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('recipient', '=', recipient)
    .where('kind', 'in', kinds)
    .where('created_at', '>', since)
    .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId ?? 0))
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? 0))
    .executeTakeFirstOrThrow();
  return total;
}

/** The emails to list. An absent field matches every email. */
export interface EmailFilter {
  readonly status: EmailStatus | undefined;
  readonly kind: EmailKind | undefined;
  readonly programId: number | undefined;
  /** A part of the recipient's email address. */
  readonly text: string | undefined;
}

/**
 * Lists the emails of the workspaces, newest first. A search finds only emails whose recipient is known to the
 * workspace.
 */
export async function listEmails(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  { status, kind, programId, text }: EmailFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  dialect: Transaction['dialect'],
): Promise<{ rows: ListedEmail[]; total: number }> {
  // Emails about changed payout details also go to the address with which the partner signs in. The workspace may see
  // this address only if it is also the partner's contact address.
  const partnerId =
    dialect === 'sqlite' ? sql`json_extract(data, '$.partnerId')` : sql`(data::json ->> 'partnerId')::bigint`;
  const isKnown = sql<SqlBool>`(kind <> 'payout_details_changed' OR EXISTS (SELECT 1 FROM partners
    WHERE partners.id = ${partnerId} AND partners.email = emails.recipient))`;
  const conditions = [
    ...(status === undefined ? [] : [sql<SqlBool>`status = ${status}`]),
    ...(kind === undefined ? [] : [sql<SqlBool>`kind = ${kind}`]),
    ...(programId === undefined ? [] : [sql<SqlBool>`program_id = ${programId}`]),
    ...(text === undefined ? [] : [containsText(dialect, ['recipient'], text), isKnown]),
  ];
  const selected = db
    .selectFrom('emails')
    .where('workspace_id', 'in', idList(workspaceIds))
    .where((eb) => eb.and(conditions));
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await selected
    .selectAll()
    .select(isKnown.as('is_known'))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return {
    rows: rows.map(({ is_known, ...row }) => ({ ...row, has_known_recipient: Boolean(is_known) })),
    total,
  };
}
