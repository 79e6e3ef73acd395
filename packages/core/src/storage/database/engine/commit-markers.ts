/**
 * Returns an INSERT statement for commit markers. It uses the database server's time, because the clocks of
 * processes differ.
 * @param ids SQL of a query or `VALUES` list whose only column contains the ids
 */
export function insertMarkers(ids: string): string {
  return `INSERT INTO commit_markers (id, created_at)
    SELECT id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM (${ids}) AS marked (id)`;
}
