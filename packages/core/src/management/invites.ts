import { INVITE_TOKEN_PREFIX } from '@affkit/protocol';
import { DAY_MS } from '../domain/calendar.ts';
import { hashToken, makeToken } from '../domain/token.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { hasInvite, type InviteTarget, insertInvite } from '../storage/invites.ts';

const INVITE_MS = 7 * DAY_MS;

/** An invitation's token, in full this one time. */
export interface IssuedInvite {
  readonly token: string;
  readonly expiresAt: number;
}

/** Invites whom no invitation in force stands for: null otherwise, for its token was given already. */
export async function inviteOnce(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  target: InviteTarget,
): Promise<IssuedInvite | null> {
  const at = runtime.now();
  if (await hasInvite(tx.db, target, at)) return null;
  const token = makeToken(INVITE_TOKEN_PREFIX, runtime.randomBytes);
  const expiresAt = at + INVITE_MS;
  await insertInvite(tx, { workspaceId, target, tokenHash: hashToken(token), expiresAt, at });
  return { token, expiresAt };
}
