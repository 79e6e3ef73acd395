import { type Kysely, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** Keyed hashes of who tries to sign in, and from where. */
export interface LoginSubject {
  readonly emailHash: string;
  /** Null where nothing tells one client from another. */
  readonly ipHash: string | null;
}

/** First key of the advisory locks, so that they meet no one else's. */
const LOCK_CLASS = 0x6c6f67;
/** Stands for every client that can't be told from others. */
const NO_ADDRESS = '';

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
  const times = async (query: typeof latest, limit: number) =>
    (await query.limit(limit).execute()).map((row) => row.failed_at);
  const { ipHash } = subject;
  return {
    ofPair: ipHash === null ? [] : await times(ofEmail.where('ip_hash', '=', ipHash), limits.pair),
    ofIp: ipHash === null ? [] : await times(latest.where('ip_hash', '=', ipHash), limits.ip),
    ofEmail: await times(ofEmail, limits.email),
  };
}

/** Holds off other processes that count failures of the same address until the work ends. */
export async function lockLoginFailures(tx: Transaction, subject: LoginSubject): Promise<void> {
  // SQLite has one writer at a time anyway.
  if (tx.dialect === 'postgres' && subject.ipHash !== null) {
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(LOCK_CLASS)}, hashtext(${subject.ipHash}))`.execute(
      tx.db,
    );
  }
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
    .values({ email_hash: subject.emailHash, ip_hash: subject.ipHash ?? NO_ADDRESS, failed_at: at })
    .execute();
}

/** Forgets the failures of one e-mail from one address, after it signed in. */
export async function deleteLoginFailures(tx: Transaction, subject: LoginSubject): Promise<void> {
  await tx.db
    .deleteFrom('login_failures')
    .where('email_hash', '=', subject.emailHash)
    .where('ip_hash', '=', subject.ipHash ?? NO_ADDRESS)
    .execute();
}
