import type { Kysely } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

/** Keyed hashes of who tries to sign in, and from where. */
export interface LoginSubject {
  readonly emailHash: string;
  readonly ipHash: string;
}

/** When the latest failures of each kind happened, newest first, at most as many as asked for. */
export interface RecentFailures {
  readonly ofPair: readonly number[];
  readonly ofIp: readonly number[];
  readonly ofEmail: readonly number[];
}

/** @param limits how many of each kind matter */
export async function listRecentFailures(
  db: Kysely<Schema>,
  subject: LoginSubject,
  since: number,
  limits: { readonly pair: number; readonly ip: number; readonly email: number },
): Promise<RecentFailures> {
  const latest = db
    .selectFrom('login_failures')
    .select('failed_at')
    .where('failed_at', '>', since)
    .orderBy('failed_at', 'desc');
  const ofEmail = latest.where('email_hash', '=', subject.emailHash);
  const ofIp = latest.where('ip_hash', '=', subject.ipHash);
  const times = async (query: typeof latest, limit: number) =>
    (await query.limit(limit).execute()).map((row) => row.failed_at);
  return {
    ofPair: await times(ofEmail.where('ip_hash', '=', subject.ipHash), limits.pair),
    ofIp: await times(ofIp, limits.ip),
    ofEmail: await times(ofEmail, limits.email),
  };
}

/** Counts a failure, and forgets those before `since`. */
export async function insertLoginFailure(
  tx: Transaction,
  subject: LoginSubject,
  at: number,
  since: number,
): Promise<void> {
  await tx.db.deleteFrom('login_failures').where('failed_at', '<=', since).execute();
  await tx.db
    .insertInto('login_failures')
    .values({ email_hash: subject.emailHash, ip_hash: subject.ipHash, failed_at: at })
    .execute();
}

/** Forgets the failures of one e-mail from one address, after it signed in. */
export async function deleteLoginFailures(tx: Transaction, subject: LoginSubject): Promise<void> {
  await tx.db
    .deleteFrom('login_failures')
    .where('email_hash', '=', subject.emailHash)
    .where('ip_hash', '=', subject.ipHash)
    .execute();
}
