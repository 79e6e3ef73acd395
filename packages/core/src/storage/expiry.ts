import { sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';

/** Until when rows are dropped, in epoch milliseconds. */
export interface Expiry {
  readonly clickKeysBefore: number;
  readonly sessionsBefore: number;
  readonly invitesBefore: number;
  readonly loginFailuresBefore: number;
}

export async function deleteExpired(tx: Transaction, expiry: Expiry): Promise<void> {
  await tx.db.deleteFrom('click_keys').where('created_at', '<', expiry.clickKeysBefore).execute();
  await tx.db.deleteFrom('sessions').where('expires_at', '<', expiry.sessionsBefore).execute();
  await tx.db.deleteFrom('invites').where('expires_at', '<', expiry.invitesBefore).execute();
  await tx.db.deleteFrom('login_failures').where('failed_at', '<', expiry.loginFailuresBefore).execute();
  if (tx.dialect === 'postgres') await deleteOldMarkers(tx);
}

/** After an hour nobody asks any more how a commit ended. By the server's clock, which also wrote the times. */
async function deleteOldMarkers(tx: Transaction): Promise<void> {
  await sql`DELETE FROM commit_markers
    WHERE created_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 3600000`.execute(tx.db);
}
