import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

/** Until when rows are dropped, in epoch milliseconds. */
export interface Expiry {
  readonly clickKeysBefore: number;
  readonly sessionsBefore: number;
  readonly invitesBefore: number;
  readonly loginFailuresBefore: number;
}

/** Rows of a table that are dropped at once: clicks wait for as long. */
const AT_ONCE = 1_000;

/**
 * After an hour nobody asks any more how a commit ended. By the server's clock, which also wrote the times; of the
 * statement's start, for `clock_timestamp()` changes from row to row, so that no index serves it.
 */
const AN_HOUR_AGO = sql`(extract(epoch FROM statement_timestamp()) * 1000)::bigint - 3600000`;

/** @returns whether there may be more */
export async function deleteExpired(tx: Transaction, expiry: Expiry): Promise<boolean> {
  const deleted = [
    await deleteSome(tx, 'click_keys', sql`created_at < ${expiry.clickKeysBefore}`),
    await deleteSome(tx, 'sessions', sql`expires_at < ${expiry.sessionsBefore}`),
    await deleteSome(tx, 'invites', sql`expires_at < ${expiry.invitesBefore}`),
    await deleteSome(tx, 'login_failures', sql`failed_at < ${expiry.loginFailuresBefore}`),
  ];
  if (tx.dialect === 'postgres') {
    deleted.push(await deleteSome(tx, 'commit_markers', sql`created_at < ${AN_HOUR_AGO}`));
  }
  return deleted.includes(AT_ONCE);
}

async function deleteSome(
  tx: Transaction,
  table: keyof Schema | 'commit_markers',
  isOver: RawBuilder<unknown>,
): Promise<number> {
  const some = (place: RawBuilder<unknown>) =>
    sql`SELECT ${place} FROM ${sql.table(table)} WHERE ${isOver} LIMIT ${sql.lit(AT_ONCE)}`;
  const { numAffectedRows } =
    tx.dialect === 'sqlite'
      ? await sql`DELETE FROM ${sql.table(table)} WHERE rowid IN (${some(sql`rowid`)})`.execute(tx.db)
      : await sql`DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(${some(sql`ctid`)}))`.execute(tx.db);
  return Number(numAffectedRows);
}
