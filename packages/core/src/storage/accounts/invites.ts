import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** The member or partner who is invited. */
export type InviteTarget = { readonly memberId: number } | { readonly partnerId: number };

export interface Invite {
  readonly workspaceId: number;
  readonly target: InviteTarget;
}

export async function insertInvite(
  tx: Transaction,
  invite: Invite & { readonly tokenHash: string; readonly expiresAt: number; readonly at: number },
): Promise<void> {
  const { target } = invite;
  await tx.db
    .insertInto('invites')
    .values({
      token_hash: invite.tokenHash,
      workspace_id: invite.workspaceId,
      member_id: 'memberId' in target ? target.memberId : null,
      partner_id: 'partnerId' in target ? target.partnerId : null,
      expires_at: invite.expiresAt,
      created_at: invite.at,
    })
    .execute();
}

/** Finds an invitation that has not expired. */
export async function findInvite(db: Kysely<Schema>, tokenHash: string, now: number): Promise<Invite | null> {
  const row = await db
    .selectFrom('invites')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ? toInvite(row) : null;
}

/**
 * Deletes and returns an invitation that has not expired. If several requests use the invitation at the same
 * time, only one gets it; the others get null.
 */
export async function claimInvite(tx: Transaction, tokenHash: string, now: number): Promise<Invite | null> {
  const row = await tx.db
    .deleteFrom('invites')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  return row ? toInvite(row) : null;
}

export async function hasInvite(db: Kysely<Schema>, target: InviteTarget, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('invites')
    .select('token_hash')
    .where((eb) =>
      'memberId' in target ? eb('member_id', '=', target.memberId) : eb('partner_id', '=', target.partnerId),
    )
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteInvites(tx: Transaction, target: InviteTarget): Promise<void> {
  await tx.db
    .deleteFrom('invites')
    .where((eb) =>
      'memberId' in target ? eb('member_id', '=', target.memberId) : eb('partner_id', '=', target.partnerId),
    )
    .execute();
}

function toInvite(row: {
  workspace_id: number;
  member_id: number | null;
  partner_id: number | null;
}): Invite {
  const target = row.member_id === null ? { partnerId: row.partner_id ?? 0 } : { memberId: row.member_id };
  return { workspaceId: row.workspace_id, target };
}
