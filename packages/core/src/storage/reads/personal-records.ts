import type { Kysely, Selectable } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

/** Lists the workspaces in which a user is a member. */
export async function listMemberships(db: Kysely<Schema>, userId: number) {
  return await db
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
    .select(['members.workspace_id', 'workspaces.name', 'members.role', 'members.created_at'])
    .where('members.user_id', '=', userId)
    .orderBy('members.id')
    .execute();
}

/** Lists the accounts of external identity providers that are bound to a user. */
export async function listIdentities(db: Kysely<Schema>, userId: number) {
  return await db
    .selectFrom('identities')
    .select(['issuer', 'subject', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute();
}

const EMAIL_COLUMNS = [
  'id',
  'kind',
  'recipient',
  'workspace_id',
  'program_id',
  'status',
  'data',
  'created_at',
  'finished_at',
] as const;

/** Lists the stored emails to the given addresses, oldest first. The links in the emails are left out. */
export async function listEmailsTo(
  db: Kysely<Schema>,
  recipients: readonly string[],
  afterId: number,
  limit: number,
): Promise<Pick<Selectable<Schema['emails']>, (typeof EMAIL_COLUMNS)[number]>[]> {
  return await db
    .selectFrom('emails')
    .select(EMAIL_COLUMNS)
    .where('recipient', 'in', recipients)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Lists the categories of emails that are turned off for an address. */
export async function listOptOutsOf(db: Kysely<Schema>, recipient: string) {
  return await db
    .selectFrom('email_opt_outs')
    .select(['recipient', 'category', 'created_at'])
    .where('recipient', '=', recipient)
    .orderBy('created_at')
    .execute();
}

type Change = Pick<
  Selectable<Schema['audit_log']>,
  | 'id'
  | 'workspace_id'
  | 'program_id'
  | 'actor_kind'
  | 'actor_id'
  | 'action'
  | 'subject_kind'
  | 'subject_id'
  | 'state_before'
  | 'state_after'
  | 'created_at'
>;

/** Lists the changes that a user has made, and all changes to the user's partners, oldest first. */
export async function listChangesOf(
  db: Kysely<Schema>,
  person: {
    readonly userId: number;
    readonly partnerIds: readonly number[];
    readonly workspaceIds: readonly number[];
  },
  afterId: number,
  limit: number,
): Promise<Change[]> {
  return await db
    .selectFrom('audit_log')
    .select([
      'id',
      'workspace_id',
      'program_id',
      'actor_kind',
      'actor_id',
      'action',
      'subject_kind',
      'subject_id',
      'state_before',
      'state_after',
      'created_at',
    ])
    .where('workspace_id', 'in', idList(person.workspaceIds))
    .where('id', '>', afterId)
    .where((eb) =>
      eb.or([
        eb.and([eb('actor_kind', '=', 'user'), eb('actor_id', '=', person.userId)]),
        eb.and([eb('subject_kind', '=', 'partner'), eb('subject_id', 'in', idList(person.partnerIds))]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
}
