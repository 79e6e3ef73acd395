import { type Kysely, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** Keyed hashes of the email address and the client IP address of a sign-in. */
export interface LoginSubject {
  readonly emailHash: string;
  /** Null when the client's IP address is unknown. */
  readonly ipHash: string | null;
}

/** First key of these advisory locks, so that they don't collide with other advisory locks. */
const LOCK_CLASS = 0x6c6f67;
/** Stored for clients whose IP address is unknown. */
const NO_ADDRESS = '';

/** Times of the latest failures by email address and IP, by IP, and by email address; newest first. */
export interface RecentFailures {
  readonly ofPair: readonly number[];
  readonly ofIp: readonly number[];
  readonly ofEmail: readonly number[];
}

/** Lists failures after `since`. @param limits the maximum number of failures per kind */
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
  const times = async (query: typeof latest, limit: number) =>
    (await query.limit(limit).execute()).map((row) => row.failed_at);
  const { ipHash } = subject;
  return {
    ofPair: ipHash === null ? [] : await times(ofEmail.where('ip_hash', '=', ipHash), limits.pair),
    ofIp: ipHash === null ? [] : await times(latest.where('ip_hash', '=', ipHash), limits.ip),
    ofEmail: await times(ofEmail, limits.email),
  };
}

/** Blocks other processes from counting failures of the same IP address until the transaction ends. */
export async function lockLoginFailures(tx: Transaction, subject: LoginSubject): Promise<void> {
  // SQLite has only one writer at a time.
  if (tx.dialect === 'postgres' && subject.ipHash !== null) {
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(LOCK_CLASS)}, hashtext(${subject.ipHash}))`.execute(
      tx.db,
    );
  }
}

/** Stores a failure, and deletes all failures up to `since`. */
export async function insertLoginFailure(
  tx: Transaction,
  subject: LoginSubject,
  at: number,
  since: number,
): Promise<void> {
  await tx.db.deleteFrom('login_failures').where('failed_at', '<=', since).execute();
  await tx.db
    .insertInto('login_failures')
    .values({ email_hash: subject.emailHash, ip_hash: subject.ipHash ?? NO_ADDRESS, failed_at: at })
    .execute();
}

/** Deletes the failures of an email address from one IP address, after a successful sign-in. */
export async function deleteLoginFailures(tx: Transaction, subject: LoginSubject): Promise<void> {
  await tx.db
    .deleteFrom('login_failures')
    .where('email_hash', '=', subject.emailHash)
    .where('ip_hash', '=', subject.ipHash ?? NO_ADDRESS)
    .execute();
}
