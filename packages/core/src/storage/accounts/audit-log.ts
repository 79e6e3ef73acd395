import { parseRowId } from '@affkit/protocol';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { AttributionModel } from '../../domain/attribution.ts';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

export type AuditRow = Selectable<Schema['audit_log']>;

export async function insertAuditRow(tx: Transaction, row: Omit<AuditRow, 'id'>): Promise<void> {
  await tx.db.insertInto('audit_log').values(row).execute();
}

/** A filter for changes. A missing field matches all changes. */
export interface AuditFilter {
  /** The email address of the user who made the change. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The kind of the changed row, optionally with its id, such as `partner:12`. */
  readonly subject?: string | undefined;
  readonly range: TimeRange;
}

/** Lists audit rows, newest first, with the email address of the user who made the change. */
export async function listAuditRows(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  { actor, action, subject, range }: AuditFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ rows: (AuditRow & { readonly actor_email: string | null })[]; total: number }> {
  const [kind = '', id] = subject?.split(':') ?? [];
  const selected = db
    .selectFrom('audit_log')
    .where('audit_log.workspace_id', 'in', idList(workspaceIds))
    .$if(range.from !== null, (query) => query.where('audit_log.created_at', '>=', range.from ?? 0))
    .$if(range.to !== null, (query) => query.where('audit_log.created_at', '<=', range.to ?? 0))
    .$if(action !== undefined, (query) => query.where('audit_log.action', '=', action ?? ''))
    .$if(subject !== undefined, (query) => query.where('audit_log.subject_kind', '=', kind))
    .$if(id !== undefined, (query) => query.where('audit_log.subject_id', '=', parseRowId(id ?? '') ?? 0))
    .$if(actor !== undefined, (query) =>
      query.where('audit_log.actor_kind', '=', 'user').where(
        'audit_log.actor_id',
        'in',
        db
          .selectFrom('users')
          .select('id')
          .where('email', '=', actor?.toLowerCase() ?? ''),
      ),
    );
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await selected
    .leftJoin('users', (join) =>
      join.onRef('users.id', '=', 'audit_log.actor_id').on('audit_log.actor_kind', '=', 'user'),
    )
    .selectAll('audit_log')
    .select('users.email as actor_email')
    .orderBy('audit_log.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { rows, total };
}

/** Lists the previous email address for each change of the partner's address since the given time. */
export async function listAuditedPartnerAddresses(
  db: Kysely<Schema>,
  key: { readonly workspaceId: number; readonly partnerId: number; readonly since: number },
): Promise<string[]> {
  const updates = await db
    .selectFrom('audit_log')
    .select('state_before')
    .where('workspace_id', '=', key.workspaceId)
    .where('created_at', '>=', key.since)
    .where('action', '=', 'partner.update')
    .where('subject_id', '=', key.partnerId)
    .execute();
  return updates.flatMap(({ state_before }) => {
    const before: { email?: string } = JSON.parse(state_before ?? '{}');
    return before.email ?? [];
  });
}

/** Whether one of the keys has enrolled, changed, or invited the partner since the given time. */
export async function hasPartnerChangeByKey(
  db: Kysely<Schema>,
  {
    workspaceId,
    partnerId,
    keyIds,
    since,
  }: {
    readonly workspaceId: number;
    readonly partnerId: number;
    readonly keyIds: readonly number[];
    readonly since: number;
  },
): Promise<boolean> {
  const row = await db
    .selectFrom('audit_log')
    .select('created_at')
    .where('workspace_id', '=', workspaceId)
    .where('created_at', '>=', since)
    .where('subject_kind', '=', 'partner')
    .where('subject_id', '=', partnerId)
    .where('actor_kind', '=', 'key')
    .where('actor_id', 'in', idList(keyIds))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export interface ModelChange {
  readonly at: number;
  readonly before: AttributionModel;
}

/** Lists the changes of a program's attribution model, oldest first. */
export async function listModelChanges(db: Kysely<Schema>, programId: number): Promise<ModelChange[]> {
  const updates = await db
    .selectFrom('audit_log')
    .select(['state_before', 'created_at'])
    .where('program_id', '=', programId)
    // The action must be a literal. With a parameter, the planner cannot use the partial index
    // `audit_log_program_updates`.
    .where('action', '=', sql.lit('program.update'))
    .orderBy('id')
    .execute();
  return updates.flatMap(({ state_before, created_at }) => {
    const before: { attribution_model?: AttributionModel } = JSON.parse(state_before ?? '{}');
    return before.attribution_model ? [{ at: created_at, before: before.attribution_model }] : [];
  });
}
