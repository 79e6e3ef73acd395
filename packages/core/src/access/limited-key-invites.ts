import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { listLimitedKeys } from '../storage/accounts/api-keys.ts';
import { hasPartnerChangeByKey } from '../storage/accounts/audit-log.ts';
import { deleteInvites, hasInvite } from '../storage/accounts/invites.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { Partner } from '../storage/programs/partners.ts';

/** The lifetime of an invitation. */
export const INVITE_MS: number = 7 * DAY_MS;

/**
 * Deletes a partner's invitations if a management key without access to the program may have received them. With an
 * invitation, the holder of the key could create the partner's account, which covers all of the partner's programs.
 * Call it when the advertiser enrolls the partner in the program, when an import does so, or when an application is
 * approved. A new application must delete nothing, because anyone can apply with the partner's email address.
 */
export async function deleteInvitesOfLimitedKeys(
  tx: Transaction,
  { now }: Pick<Runtime, 'now'>,
  { id: partnerId, workspaceId, userId }: Partner,
  programId: number,
): Promise<void> {
  const at = now();
  if (userId !== null || !(await hasInvite(tx.db, { partnerId }, at))) return;
  const since = at - INVITE_MS;
  const limited = await listLimitedKeys(tx.db, workspaceId);
  const keyIds = limited.filter(({ programScope }) => !programScope.includes(programId)).map(({ id }) => id);
  if (keyIds.length === 0) return;
  if (await hasPartnerChangeByKey(tx.db, { workspaceId, partnerId, keyIds, since })) {
    await deleteInvites(tx, { partnerId });
  }
}
