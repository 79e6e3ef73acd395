import { type RawBuilder, sql } from 'kysely';
import { layoutOf } from './cluster/layout.ts';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

/** Times in epoch milliseconds. Rows that are older than these times are deleted. */
export interface Expiry {
  readonly clickKeysBefore: number;
  readonly sessionsBefore: number;
  readonly invitesBefore: number;
  readonly loginFailuresBefore: number;
  readonly bulkRequestsBefore: number;
  readonly emailsBefore: number;
  readonly webhooksBefore: number;
}

/**
 * The number of rows to delete from a table per transaction. It is small, because clicks wait during the
 * deletion.
 */
const EXPIRY_BATCH_SIZE = 1_000;

/**
 * The expiry time of commit markers. After an hour, no process checks the outcome of the commit any more. The
 * time comes from the server's clock, like the times of the markers. `clock_timestamp()` cannot be used: it
 * changes from row to row, so the planner could not use an index.
 */
const AN_HOUR_AGO = sql`(extract(epoch FROM statement_timestamp()) * 1000)::bigint - 3600000`;

/** Deletes a batch of expired rows of each table. @returns whether more rows may have expired */
export async function deleteExpired(tx: Transaction, expiry: Expiry): Promise<boolean> {
  const deleted = [
    await deleteBatch(tx, 'click_keys', sql`created_at < ${expiry.clickKeysBefore}`),
    await deleteBatch(tx, 'sessions', sql`expires_at < ${expiry.sessionsBefore}`),
    await deleteBatch(tx, 'invites', sql`expires_at < ${expiry.invitesBefore}`),
    await deleteBatch(tx, 'login_failures', sql`failed_at < ${expiry.loginFailuresBefore}`),
    await deleteBatch(tx, 'bulk_requests', sql`created_at < ${expiry.bulkRequestsBefore}`),
    await deleteBatch(tx, 'bulk_results', sql`created_at < ${expiry.bulkRequestsBefore}`),
    await deleteBatch(tx, 'emails', sql`created_at < ${expiry.emailsBefore}`),
    await deleteBatch(tx, 'webhook_attempts', sql`attempted_at < ${expiry.webhooksBefore}`),
    // Keep an old delivery if a user has queued it again. Its `run_at` is then not null.
    await deleteBatch(
      tx,
      'webhook_deliveries',
      sql`created_at < ${expiry.webhooksBefore} AND run_at IS NULL`,
    ),
    await deleteBatch(
      tx,
      'webhook_events',
      // A delivery has the time of its event, so the index by age finds the deliveries of an event.
      sql`created_at < ${expiry.webhooksBefore} AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS kept
        WHERE kept.created_at = webhook_events.created_at AND kept.event_id = webhook_events.id)`,
    ),
  ];
  if (tx.dialect === 'postgres') {
    deleted.push(await deleteBatch(tx, 'commit_markers', sql`created_at < ${AN_HOUR_AGO}`));
  }
  if (tx.isCluster) {
    deleted.push(await deleteBatch(tx, 'shard_commit_markers', sql`created_at < ${AN_HOUR_AGO}`));
  }
  return deleted.includes(EXPIRY_BATCH_SIZE);
}

/**
 * Deletes at most 1,000 expired rows of a table. If the table is distributed on a Citus cluster, deletes all
 * expired rows instead. @returns the number of deleted rows
 */
export async function deleteBatch(
  tx: Transaction,
  table: keyof Schema,
  isExpired: RawBuilder<unknown>,
): Promise<number> {
  const expired = (rowAddress: RawBuilder<unknown>) =>
    sql`SELECT ${rowAddress} FROM ${sql.table(table)} WHERE ${isExpired} LIMIT ${sql.lit(EXPIRY_BATCH_SIZE)}`;
  if (tx.isCluster && layoutOf(table)?.kind === 'distributed') {
    // Citus does not support LIMIT here, because each shard would apply it to its own rows.
    const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)} WHERE ${isExpired}`.execute(tx.db);
    return Number(numAffectedRows);
  }
  const { numAffectedRows } =
    tx.dialect === 'sqlite'
      ? await sql`DELETE FROM ${sql.table(table)} WHERE rowid IN (${expired(sql`rowid`)})`.execute(tx.db)
      : await sql`DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(${expired(sql`ctid`)}))`.execute(
          tx.db,
        );
  return Number(numAffectedRows);
}
