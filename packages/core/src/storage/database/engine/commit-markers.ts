import type { PostgresSession } from './postgres-session.ts';

/**
 * Returns an INSERT statement for commit markers. It uses the database server's time, because the clocks of
 * processes differ.
 * @param ids SQL of a query or `VALUES` list whose only column contains the ids
 */
export function insertMarkers(ids: string): string {
  return `INSERT INTO commit_markers (id, created_at)
    SELECT id, ${MARKED_AT} FROM (${ids}) AS marked (id)`;
}

/** The SQL expression for the time of a marker. */
export const MARKED_AT = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Stores `marker`, unless its transaction has already committed it. If this call stores the marker, the
 * transaction can no longer be committed, because markers are unique. A second row with the id `<marker>!` is
 * stored too. If the reply is lost, a retry finds this row, and therefore knows that the transaction was not
 * committed.
 * @param programId the program whose shard stores the marker. Null if the marker is in `commit_markers`
 * @returns true if the transaction can no longer be committed, false if it was committed
 */
export function claimMarker(
  session: PostgresSession,
  marker: string,
  programId: number | null,
): Promise<boolean> {
  return programId === null ? claimOnServer(session, marker) : claimOnShard(session, marker, programId);
}

async function claimOnServer(session: PostgresSession, marker: string): Promise<boolean> {
  const claim = `${marker}!`;
  const { rowCount } = await session.query(`
    WITH claimed AS (${insertMarkers(`VALUES ('${marker}')`)} ON CONFLICT DO NOTHING RETURNING id)
    ${insertMarkers(`SELECT '${claim}' FROM claimed`)}`);
  if (rowCount === 1) return true;
  // Look for the row `<marker>!` of an earlier call. This must be a separate statement. The first statement may have
  // waited for a concurrent insert of the marker. Its snapshot then lacks rows that were committed during the wait.
  const claims = await session.query(`SELECT 1 FROM commit_markers WHERE id = '${claim}'`);
  return claims.rowCount === 1;
}

/**
 * Like `claimOnServer`, but with two statements. On Citus, one statement cannot contain two INSERTs into a
 * shard.
 */
async function claimOnShard(session: PostgresSession, marker: string, programId: number): Promise<boolean> {
  const claim = `${marker}!`;
  const insert = (id: string) =>
    `INSERT INTO shard_commit_markers (program_id, id, created_at) VALUES (${programId}, '${id}', ${MARKED_AT})`;
  await session.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  const { rowCount } = await session.query(`${insert(marker)} ON CONFLICT DO NOTHING`);
  if (rowCount === 1) await session.query(insert(claim));
  await session.query('COMMIT');
  if (rowCount === 1) return true;
  const claims = await session.query(
    `SELECT 1 FROM shard_commit_markers WHERE program_id = ${programId} AND id = '${claim}'`,
  );
  return claims.rowCount === 1;
}
